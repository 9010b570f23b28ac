//! The runtime key of the tunnel: where it comes from, and how it is kept from everybody but the
//! tunnel client.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal as _;

use workspace::process::Environment;

/// Where the tunnel client looks for its key.
pub(super) const VARIABLE: &str = "CONTROL_PLANE_API_KEY";
/// Variables that the tunnel client takes a key from, and the server never needs.
const SECRETS: [&str; 3] = [VARIABLE, "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"];

/// A runtime key. It has no text form, so that it cannot be shown by accident.
pub(super) struct Key(OsString);

/// The key of the environment, or one that the person at the terminal types unseen.
///
/// # Errors
/// One line when there is neither.
pub(super) fn find(environment: &Environment, variable: &str) -> Result<Key, String> {
    if let Some(value) = environment.get(variable) {
        return Ok(Key(value.to_owned()));
    }
    let missing =
        || format!("no runtime key: set {variable}, or start this in a terminal to be asked");
    if !std::io::stdin().is_terminal() {
        return Err(missing());
    }
    let typed = rpassword::prompt_password("Runtime key (not shown): ");
    match typed.map(|key| key.trim().to_owned()) {
        Ok(key) if !key.is_empty() => Ok(Key(key.into())),
        Ok(_) => Err("no runtime key was given".to_owned()),
        Err(error) => Err(format!("cannot ask for the runtime key: {error}")),
    }
}

/// The variables for the tunnel client: those of this process, with the key in its place and in no
/// other.
pub(super) fn for_client(environment: &Environment, key: &Key) -> Vec<(OsString, OsString)> {
    let mut variables = without(environment, Some(&key.0));
    variables.push((VARIABLE.into(), key.0.clone()));
    variables
}

/// The variables for the server that the tunnel client starts: without the key.
pub(super) fn for_server(environment: &Environment) -> Vec<(OsString, OsString)> {
    without(environment, environment.get(VARIABLE))
}

fn without(environment: &Environment, key: Option<&OsStr>) -> Vec<(OsString, OsString)> {
    let is_secret = |name: &OsStr, value: &OsStr| {
        let named = name.to_str().is_some_and(|name| {
            SECRETS
                .iter()
                .any(|secret| secret.eq_ignore_ascii_case(name))
        });
        named || key == Some(value)
    };
    let kept = environment
        .iter()
        .filter(|(name, value)| !is_secret(name, value));
    kept.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use workspace::process::Environment;

    use super::{find, for_client, for_server};

    #[test]
    fn the_key_is_in_one_variable_of_the_client_and_in_none_of_the_server() {
        let environment = Environment::of([("MY_KEY", "sk-1"), ("COPY", "sk-1"), ("PATH", "/bin")]);
        let key = find(&environment, "MY_KEY").ok().unwrap();
        let client = for_client(&environment, &key);
        assert_eq!(
            client,
            [
                ("PATH".into(), "/bin".into()),
                ("CONTROL_PLANE_API_KEY".into(), "sk-1".into())
            ]
        );
        let inherited =
            Environment::of(client.into_iter().chain([("OTHER".into(), "sk-1".into())]));
        assert_eq!(for_server(&inherited), [("PATH".into(), "/bin".into())]);
    }
}
