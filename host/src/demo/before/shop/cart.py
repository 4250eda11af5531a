"""What a cart costs."""


def total(cart):
    """The sum of all prices, in cents."""
    if not cart:
        return 0
    return sum(item["price"] * item["count"] for item in cart)


def average_price(cart):
    """The average price of a piece, in cents."""
    if not cart:
        return 0
    return total(cart) // sum(item["count"] for item in cart)
