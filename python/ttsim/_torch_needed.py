"""Names the way to torch where it is missing. No distribution requires torch: PyPI's build, which pip would choose, brings
the libraries of CUDA, some gigabytes that nothing here uses."""


def refusal(package: str) -> ImportError:
    """For a package that cannot be imported for lack of torch."""
    return ImportError(f"{package} needs torch, which is not installed. PyTorch's page 'Get started' has the command that "
                       "installs it; choose the compute platform CPU, without the libraries of CUDA")
