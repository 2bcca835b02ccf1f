# An image with cardiowarp, which is built and packed in a stage of its own:
#   docker build -t cardiowarp .
#   docker run --rm -v "$PWD":/work cardiowarp run configs/heart.yaml
# With CUDA, on systems that fit each other:
#   docker build -t cardiowarp --build-arg BUILD_ON=nvidia/cuda:12.6.3-devel-ubuntu24.04 --build-arg RUN_ON=ubuntu:24.04 .
#   docker run --rm --gpus all -v "$PWD":/work cardiowarp run configs/heart.yaml
# Cells of CellML files run on a GPU where NVRTC is: --build-arg RUN_ON=nvidia/cuda:12.6.3-runtime-ubuntu24.04.
# packaging/cardiowarp.def makes the same for Apptainer.
ARG BUILD_ON=debian:12
ARG RUN_ON=debian:12

FROM ${BUILD_ON} AS build
COPY . /src
RUN /src/packaging/make_package.sh /package

FROM ${RUN_ON}
COPY --from=build /package /package
RUN apt-get -q update && \
    DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends /package/cardiowarp_*.deb && \
    rm -rf /package /var/lib/apt/lists/*
# What the container runtime of NVIDIA hands in of the driver.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
WORKDIR /work
ENTRYPOINT ["cardiowarp"]
CMD ["--help"]
