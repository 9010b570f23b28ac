//! A container image: the program and nothing else, run by a user without rights.

use super::{NAME, REPOSITORY, Release};
use crate::Result;

pub(super) fn make(release: &Release) -> Result<()> {
    let version = &release.version;
    let mut cases = String::new();
    for (docker, cpu) in [("amd64", "x64"), ("arm64", "arm64")] {
        if let Some(built) = release.for_system("linux", cpu) {
            let (file, sha256) = (&built.file, &built.sha256);
            cases.push_str(&format!(
                "      {docker}) file={file} sha256={sha256} ;; \\\n"
            ));
        }
    }
    if cases.is_empty() {
        return Ok(());
    }
    let text = format!(
        "# {NAME} {version}. Build it beside the archives, for amd64 or arm64:\n\
         #   docker build --tag {NAME}:{version} .\n\
         # and run it on a folder that user 65532 may use:\n\
         #   docker run --rm --interactive --user \"$(id -u):$(id -g)\" --volume \"$PWD:/work\" {NAME}:{version}\n\
         FROM docker.io/library/busybox:1.37 AS unpacked\n\
         ARG TARGETARCH\n\
         COPY {NAME}-{version}-*-linux-*.tar.gz /archives/\n\
         RUN case \"$TARGETARCH\" in \\\n{cases}\
         \x20     *) echo \"no archive for $TARGETARCH\" >&2; exit 1 ;; \\\n\
         \x20   esac \\\n\
         \x20&& echo \"$sha256  /archives/$file\" | sha256sum -c \\\n\
         \x20&& tar -xzf \"/archives/$file\" -C /archives \\\n\
         \x20&& mkdir -p /image/work \\\n\
         \x20&& mv \"/archives/${{file%.tar.gz}}/{NAME}\" /image/{NAME} \\\n\
         \x20&& chown 65532:65532 /image/work\n\
         \n\
         FROM scratch\n\
         LABEL org.opencontainers.image.title=\"{NAME}\" \\\n\
         \x20     org.opencontainers.image.version=\"{version}\" \\\n\
         \x20     org.opencontainers.image.source=\"{REPOSITORY}\" \\\n\
         \x20     org.opencontainers.image.licenses=\"MIT OR Apache-2.0\"\n\
         COPY --from=unpacked /image/ /\n\
         USER 65532:65532\n\
         WORKDIR /work\n\
         ENTRYPOINT [\"/{NAME}\"]\n\
         CMD [\"--root\", \"/work\"]\n"
    );
    release.write("Dockerfile", text.as_bytes())
}
