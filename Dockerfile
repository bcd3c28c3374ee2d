# adjudge as an image: the service by default, any other command by naming it.
#
#   docker build -t adjudge .
#   docker build -t adjudge:embedded --build-arg MODEL=smollm2-135m .   # with weights inside
#   docker build -t adjudge-ray --build-arg EXTRAS=ray .                # for the nodes of a Ray cluster
#
# BASE is any image with Python 3.11 or newer and glibc.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
WORKDIR /src
RUN python3 -m venv /opt/adjudge
# What changes seldom comes first: the locked packages stay in the build cache.
COPY requirements.lock ./
RUN /opt/adjudge/bin/python -m pip --disable-pip-version-check --no-cache-dir install -q --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
# The lock holds the extras web, parquet, embedded and postgres; others are resolved beside it, without its hashes: with
# them, pip would want one for every package. A RayJob is handed in over the dashboard of Ray, which its extra "default" brings.
RUN sed -n 's/^\([^ ]*==[^ ]*\).*/\1/p' requirements.lock > versions.txt
ARG EXTRAS=
RUN pip="/opt/adjudge/bin/python -m pip --disable-pip-version-check --no-cache-dir install -q" \
  && $pip --no-deps --no-build-isolation . \
  && if [ -n "$EXTRAS" ]; then $pip --no-build-isolation -c versions.txt ".[$EXTRAS]"; fi \
  && case ",$EXTRAS," in *,ray,*) $pip -c versions.txt "ray[default]>=2.60,<3";; esac
# The weights of an embedded model; without MODEL the folder stays empty, and may be a volume.
ARG MODEL=
RUN mkdir -p /models && if [ -n "$MODEL" ]; then ADJUDGE_CACHE=/models /opt/adjudge/bin/adjudge models pull "$MODEL"; fi

FROM ${BASE}
# The embedded runtime needs OpenMP; the slim images have no libgomp. KubeRay's probes call wget.
ARG EXTRAS=
RUN apt-get update -q \
  && apt-get install -y -q --no-install-recommends libgomp1 $(case ",$EXTRAS," in *,ray,*) echo wget;; esac) \
  && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin adjudge \
  && mkdir /data /models && chown 10001:10001 /data /models
COPY --from=build /opt/adjudge /opt/adjudge
COPY --from=build --chown=10001:10001 /models /models
# A login shell, as KubeRay starts one, has a PATH of its own.
RUN for name in adjudge ray; do if [ -e "/opt/adjudge/bin/$name" ]; then ln -s "/opt/adjudge/bin/$name" /usr/local/bin/; fi; done
ENV PATH=/opt/adjudge/bin:$PATH ADJUDGE_CACHE=/models PYTHONDONTWRITEBYTECODE=1
# By number: Kubernetes must be able to see that it is not root.
USER 10001
# The only places that are written to: the store and its uploads (/data), temporary files (/tmp).
# Everything else works with a read-only root file system.
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8484
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8484/healthz', timeout=4)"]
ENTRYPOINT ["adjudge"]
CMD ["serve", "--host", "0.0.0.0"]
