# An image whose programs are ttsim's, and whose main job is to run a netlist:
#   docker build -t ttsim . && docker run --rm ttsim
#   docker run --rm -v "$PWD:/data" ttsim run net.yaml
# RELEASE chooses another release of Debian: docker build --build-arg RELEASE=trixie ...
ARG RELEASE=bookworm
FROM debian:${RELEASE} AS build
COPY . /src
WORKDIR /src
# hadolint ignore=DL3008  # versions are those of the Debian release
RUN apt-get update && apt-get install -y --no-install-recommends dpkg-dev file && scripts/setup page && scripts/package

FROM debian:${RELEASE}-slim
COPY --from=build /src/build/release/*.deb /packages/
RUN apt-get update && apt-get install -y --no-install-recommends /packages/*.deb && rm -rf /packages /var/lib/apt/lists/*
WORKDIR /data
ENTRYPOINT ["ttsim"]
CMD ["run", "/usr/share/ttsim/examples/bert_encoder.yaml"]
