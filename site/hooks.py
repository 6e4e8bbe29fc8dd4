"""Hooks of MkDocs: docs/README.md orders the navigation, README.md and CHANGELOG.md are pages too, links that leave docs lead to the repository, and a command that needs no file
is a link into the page of the program."""

import html
import pathlib
import posixpath
import re
import urllib.parse

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/tlayout/tlayout/blob/main/"
# Files of the repository that are pages, by their names in the site.
PAGES = {"readme.md": "README.md", "changelog.md": "CHANGELOG.md"}


# The title of a list of docs/README.md, or a link in it.
LISTED = re.compile(r"^(\w.*):$|\]\(([\w-]+\.md)\)", re.MULTILINE)


def on_config(config):
    lists = {}
    for title, page in LISTED.findall((ROOT / "docs" / "README.md").read_text()):
        if title:
            last = lists[title] = []
        else:
            last.append({"For coding agents": page} if page == "SKILL.md" else page)
    config.nav = [{"All documents": "README.md"}, {"README": "readme.md"}, *({title: pages} for title, pages in lists.items()), "changelog.md"]
    return config


def on_files(files, config):
    for page, source in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


# A block of code, code in a line, or the target of a link.
LINK = re.compile(r"^```.*?^```|`[^`\n]+`|(?<=\]\()[^)\s:#]+", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown, page, **_):
    folder = posixpath.dirname(PAGES.get(page.file.src_uri, "docs/" + page.file.src_uri))
    return LINK.sub(lambda link: link[0] if link[0].startswith("`") else target(folder, link[0]), markdown)


def target(folder, link):
    """Returns what a link to a file leads to in the site, from a page of a folder of the repository."""
    path = posixpath.normpath(posixpath.join(folder, link))
    for page, source in PAGES.items():
        if path == source:
            return page
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return REPOSITORY + path


CODE = re.compile(r'<div class="highlight"><pre><span></span><code>(.*?)</code></pre></div>', re.DOTALL)


def on_page_content(content, **_):
    return CODE.sub(block, content)


def block(match):
    """Returns a block of code whose lines "$ …" are commands: copying it copies those, without what they print."""
    lines = match[1].split("\n")
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    if not commands:
        return match[0]
    shown = "\n".join("<b>$ " + run(line.removeprefix("$ ")) + "</b>" if line.startswith("$ ") else line for line in lines)
    return f'<div class="highlight" data-copy="{"&#10;".join(commands)}"><pre><code>{shown}</code></pre></div>'


QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
# What the page of the program has not got: other programs, output files, standard input, files, folders, time to measure, and schemas.
ABSENT = re.compile(r"[|<>;&\\$]| -o | - |^(?:bench|version|help json) |\bdcp\b")
FILE = re.compile(r"\.(?:npy|npz|pt|safetensors|gguf|onnx|pt2|zarr|bin|json|log|txt|py)\b|://")


def run(escaped):
    """Returns a command, as a link to the page of the program if it runs there."""
    command = html.unescape(escaped)
    arguments = command.removeprefix("tlayout ")
    if arguments == command or FILE.search(arguments) or ABSENT.search(QUOTED.sub("", arguments)):
        return escaped
    return f'<a href="../#{urllib.parse.quote(arguments, safe="")}" title="Run it in this browser">{escaped}</a>'
