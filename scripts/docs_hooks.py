"""Hooks of mkdocs: files of the repository's root become pages, and links that leave docs/ lead to copies or pages."""
import pathlib
import posixpath
import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "build/pictures"  # of scripts/pictures
PAGES = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
WORKER = re.compile(r"[^\s'\"]*iframe-worker/shim")  # an address, in the pages of the theme
LINK = re.compile(r"(?<=\]\()(?!https?://|#|mailto:)([^)#\s]+)(#[^)\s]*)?(?=\))")


def linked_files() -> set[str]:
    """Files outside docs/ that a page links to, relative to the root."""
    found = set()
    for page in [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / name for name in PAGES)]:
        folder = page.parent.relative_to(ROOT).as_posix()
        for match in LINK.finditer(page.read_text()):
            target = posixpath.normpath(posixpath.join(folder, match[1]))
            # the site's first page stands for README.md
            if target != "README.md" and not target.startswith("docs/") and (ROOT / target).is_file():
                found.add(target)
    return found


def gallery(pictures: list[pathlib.Path]) -> str:
    """The text of the page of pictures."""
    lines = ["# Gallery", "", "Pages of `ttsim report` and screens of `ttperf`, of the example `bert_encoder.yaml`."]
    if not pictures:
        lines += ["", "`scripts/pictures` makes the pictures; the site was built without them."]
    for picture in pictures:
        title = picture.stem.replace("-", ", ", 2)
        lines += ["", f"## {title}", "", f"![{title}](pictures/{picture.name})"]
    return "\n".join(lines) + "\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for name in sorted({*PAGES, *linked_files()}):
        text = (ROOT / name).read_text()
        files.append(File.generated(config, name, content=text))
    pictures = sorted(PICTURES.glob("*.*")) if PICTURES.is_dir() else []
    for picture in pictures:
        files.append(File.generated(config, f"pictures/{picture.name}", abs_src_path=str(picture)))
    files.append(File.generated(config, "gallery.md", content=gallery(pictures)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    here = page.file.src_uri
    in_root = here in PAGES
    source = posixpath.dirname(here if in_root else f"docs/{here}")

    def moved(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(source, match[1]))
        if target == "README.md":
            target = "docs/index.md"
        place = target.removeprefix("docs/")
        if files.get_file_from_path(place) is None:
            return match[0]
        return posixpath.relpath(place, posixpath.dirname(here) or ".") + (match[2] or "")

    return LINK.sub(moved, markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """The search reads its worker from a file of the site, not from a server."""
    shim = posixpath.relpath("offline_worker.js", posixpath.dirname(page.file.dest_uri) or ".")
    return WORKER.sub(lambda _: shim, output)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """The same in 404.html, which the theme makes from a template of its own."""
    return WORKER.sub("offline_worker.js", output_content)
