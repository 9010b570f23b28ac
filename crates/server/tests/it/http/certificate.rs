//! Certificates that are good for a test.

use base64::Engine as _;
use graviola::hashing::Sha256;
use graviola::signing::ecdsa::{P256, SigningKey};
use rcgen::{
    CertificateParams, KeyIdMethod, PKCS_ECDSA_P256_SHA256, PublicKeyData, SignatureAlgorithm,
};

/// A new certificate for `localhost` that nobody vouches for, and its key, both in PEM.
pub fn pair() -> (String, String) {
    let key = Key::new();
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.serial_number = Some(1.into());
    params.key_identifier_method = KeyIdMethod::PreSpecified(vec![1]);
    let certificate = params.self_signed(&key).unwrap();
    (certificate.pem(), key.pem())
}

/// A key as the maker of certificates wants it.
struct Key {
    key: SigningKey<P256>,
    public: Vec<u8>,
}

impl Key {
    fn new() -> Self {
        let key = SigningKey::<P256>::generate().unwrap();
        let mut buffer = [0; 128];
        let public = key.to_spki_der(&mut buffer).unwrap();
        // The point is the last thing in it, in two coordinates after a mark.
        let public = public[public.len() - 65..].to_vec();
        Self { key, public }
    }

    fn pem(&self) -> String {
        let mut buffer = [0; 256];
        let der = self.key.to_pkcs8_der(&mut buffer).unwrap();
        pem("PRIVATE KEY", der)
    }
}

impl PublicKeyData for Key {
    fn der_bytes(&self) -> &[u8] {
        &self.public
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &PKCS_ECDSA_P256_SHA256
    }
}

impl rcgen::SigningKey for Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rcgen::Error> {
        let mut buffer = [0; 80];
        let signed = self.key.sign_asn1::<Sha256>(&[message], &mut buffer);
        Ok(signed.map_err(|_| rcgen::Error::RemoteKeyError)?.to_vec())
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
}
