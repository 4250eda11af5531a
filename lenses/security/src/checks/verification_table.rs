//! How libraries are told not to look at certificates or host keys: data, read by [`super::verification`].

use review_loop_sdk::code::Language::{self, *};

/// One way to switch a check off.
pub(crate) struct Row {
    pub(crate) languages: &'static [Language],
    /// An added line holds one of them, or there is nothing to look for.
    pub(crate) words: &'static [&'static str],
    /// As [`super::pattern`] reads them.
    pub(crate) patterns: &'static [&'static str],
    /// The file holds one of them; none: any file will do.
    pub(crate) needs: &'static [&'static str],
    /// The file holds none of them.
    pub(crate) unless: &'static [&'static str],
    pub(crate) guard: Guard,
    /// How it is told.
    pub(crate) shown: &'static str,
    pub(crate) follows: &'static str,
}

/// What else must hold at the place.
#[derive(Clone, Copy)]
pub(crate) enum Guard {
    None,
    /// An argument of a call, and no default of a definition.
    Argument,
    /// An argument of what sends requests.
    Request,
    /// A field that gets a value.
    Assigned,
}

const CERTIFICATE: &str = "switches the check of the certificate off, so whoever stands on the way can read and change \
                           what is sent";
const HOST_KEY: &str = "accepts any host key, so whoever stands on the way can take the host's place";

const ROW: Row = Row {
    languages: &[],
    words: &[],
    patterns: &[],
    needs: &[],
    unless: &[],
    guard: Guard::None,
    shown: "",
    follows: CERTIFICATE,
};

const SCRIPT: &[Language] = &[JavaScript, TypeScript];
const JVM: &[Language] = &[Java, Kotlin, Scala];
const HTTP: &[&str] = &["requests", "httpx", "boto3", "botocore", "hvac", "urllib3"];

pub(crate) const ROWS: &[Row] = &[
    Row {
        languages: &[Python],
        words: &["verify"],
        patterns: &["verify = False"],
        needs: HTTP,
        guard: Guard::Request,
        shown: "verify=False",
        ..ROW
    },
    Row {
        languages: &[Python],
        words: &["verify"],
        patterns: &["verify = False"],
        needs: &["import requests", "from requests", "import httpx"],
        guard: Guard::Assigned,
        shown: ".verify = False",
        ..ROW
    },
    Row {
        languages: &[Python],
        words: &["verify_ssl"],
        patterns: &["verify_ssl = False"],
        guard: Guard::Argument,
        shown: "verify_ssl=False",
        ..ROW
    },
    Row {
        languages: &[Python],
        words: &["verify_ssl"],
        patterns: &["verify_ssl = False"],
        guard: Guard::Assigned,
        shown: ".verify_ssl = False",
        ..ROW
    },
    Row {
        languages: &[Python],
        words: &["ssl"],
        patterns: &["ssl = False"],
        needs: &["aiohttp"],
        guard: Guard::Request,
        shown: "ssl=False",
        ..ROW
    },
    Row {
        languages: &[Python],
        words: &["_create_unverified_context"],
        patterns: &["_create_unverified_context"],
        shown: "ssl._create_unverified_context",
        ..ROW
    },
    Row {
        languages: &[Python],
        words: &["CERT_NONE"],
        patterns: &["verify_mode = ssl . CERT_NONE", "verify_mode = CERT_NONE"],
        needs: &["check_hostname = False", "check_hostname=False"],
        shown: "verify_mode = CERT_NONE",
        ..ROW
    },
    Row {
        languages: &[Python],
        words: &["CERT_NONE"],
        patterns: &["cert_reqs = ssl . CERT_NONE", "cert_reqs = 'CERT_NONE'"],
        unless: &["server_side", "SSLContext"],
        guard: Guard::Argument,
        shown: "cert_reqs=CERT_NONE",
        ..ROW
    },
    Row {
        languages: &[Python],
        words: &["AutoAddPolicy", "WarningPolicy"],
        patterns: &[
            "set_missing_host_key_policy ( paramiko . AutoAddPolicy|WarningPolicy",
            "set_missing_host_key_policy ( AutoAddPolicy|WarningPolicy",
        ],
        shown: "set_missing_host_key_policy",
        follows: HOST_KEY,
        ..ROW
    },
    Row {
        languages: SCRIPT,
        words: &["rejectUnauthorized"],
        patterns: &["rejectUnauthorized|'rejectUnauthorized' : false"],
        unless: &["requestCert"],
        shown: "rejectUnauthorized: false",
        ..ROW
    },
    Row {
        languages: SCRIPT,
        words: &["NODE_TLS_REJECT_UNAUTHORIZED"],
        patterns: &[
            "NODE_TLS_REJECT_UNAUTHORIZED = '0'|0",
            "[ 'NODE_TLS_REJECT_UNAUTHORIZED' ] = '0'|0",
            "NODE_TLS_REJECT_UNAUTHORIZED : '0'|0",
        ],
        shown: "NODE_TLS_REJECT_UNAUTHORIZED=0",
        ..ROW
    },
    Row {
        languages: &[Go],
        words: &["InsecureSkipVerify"],
        patterns: &["InsecureSkipVerify :|= true"],
        unless: &["VerifyPeerCertificate", "VerifyConnection"],
        shown: "InsecureSkipVerify: true",
        ..ROW
    },
    Row {
        languages: &[Go],
        words: &["InsecureIgnoreHostKey"],
        patterns: &["ssh . InsecureIgnoreHostKey ( )"],
        shown: "ssh.InsecureIgnoreHostKey()",
        follows: HOST_KEY,
        ..ROW
    },
    Row {
        languages: &[Rust],
        words: &["accept_invalid"],
        patterns: &[
            "danger_accept_invalid_certs|danger_accept_invalid_hostnames|dangerous_accept_invalid_certs ( true )",
            "tls_danger_accept_invalid_certs|tls_danger_accept_invalid_hostnames ( true )",
        ],
        shown: "danger_accept_invalid_certs(true)",
        ..ROW
    },
    Row {
        languages: &[Rust],
        words: &["ssl_verify_peer"],
        patterns: &["ssl_verify_peer ( false )"],
        shown: "ssl_verify_peer(false)",
        ..ROW
    },
    Row {
        languages: &[Php, C, Cpp, Python],
        words: &["SSL_VERIFYPEER"],
        patterns: &["CURLOPT_SSL_VERIFYPEER ,|=> false|FALSE|False|0|0L", "pycurl . SSL_VERIFYPEER , 0|False"],
        shown: "SSL_VERIFYPEER off",
        ..ROW
    },
    Row {
        languages: &[Php],
        words: &["verify_peer", "sslverify", "withoutVerifying"],
        patterns: &["'verify_peer'|'sslverify' => false|FALSE", "withoutVerifying ( )"],
        shown: "verify_peer => false",
        ..ROW
    },
    Row {
        languages: JVM,
        words: &["checkServerTrusted"],
        patterns: &["checkServerTrusted (...) { }", "checkServerTrusted (...) throws CertificateException { }"],
        shown: "checkServerTrusted",
        follows: "is empty and accepts every certificate, so whoever stands on the way can read and change what is sent",
        ..ROW
    },
    Row {
        languages: JVM,
        words: &["NoopHostnameVerifier", "ALLOW_ALL_HOSTNAME", "TrustAllStrategy", "InsecureTrustManagerFactory"],
        patterns: &[
            "NoopHostnameVerifier . INSTANCE",
            "InsecureTrustManagerFactory . INSTANCE",
            "TrustAllStrategy . INSTANCE",
            "new TrustAllStrategy",
            "SSLConnectionSocketFactory|SSLSocketFactory . ALLOW_ALL_HOSTNAME_VERIFIER",
        ],
        shown: "a verifier that accepts everything",
        ..ROW
    },
    Row {
        languages: &[CSharp],
        words: &["ValidationCallback", "DangerousAcceptAny"],
        patterns: &[
            "ServerCertificateValidationCallback|ServerCertificateCustomValidationCallback =|+= (...) => true",
            "ServerCertificateValidationCallback|ServerCertificateCustomValidationCallback =|+= delegate { return true",
            "HttpClientHandler . DangerousAcceptAnyServerCertificateValidator",
        ],
        shown: "a validation callback that accepts everything",
        ..ROW
    },
    Row {
        languages: &[Ruby],
        words: &["VERIFY_NONE"],
        patterns: &["verify_mode = OpenSSL :: SSL :: VERIFY_NONE", "verify_mode : OpenSSL :: SSL :: VERIFY_NONE"],
        unless: &["VERIFY_PEER"],
        shown: "VERIFY_NONE",
        ..ROW
    },
    Row {
        languages: &[Elixir],
        words: &["verify_none"],
        patterns: &["verify : : verify_none"],
        unless: &["verify_peer"],
        shown: "verify: :verify_none",
        ..ROW
    },
    Row {
        languages: &[Toml],
        words: &["verify_ssl"],
        patterns: &["verify_ssl = false"],
        needs: &["[[source]]"],
        shown: "verify_ssl = false",
        ..ROW
    },
];
