"""Hooks of MkDocs: docs/README.md orders the navigation, README.md and CHANGELOG.md are pages too, links that leave docs lead to the repository,
links that are named after a file have the title of its page, a command that needs no file is a link into the page of the program, and figures
answer pointing."""

import html
import json
import pathlib
import posixpath
import re
import shlex
import subprocess
import tempfile
import urllib.parse

from mkdocs.structure.files import File
from mkdocs.structure.nav import Link

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


def on_nav(nav, **_):
    nav.items.append(Link("A page for each question", "../q/index.html"))
    return nav


# Scripts and styles of a page of draw -o x.html, by their names in the site.
POINTING = {"pointing.js": "internal/render/page/pointing.js", "picture.css": "internal/render/page/page.css", "point.js": "site/point.js"}


def on_files(files, config):
    for page, source in (PAGES | POINTING).items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


# A block of code, code in a line, or a link to a file.
LINK = re.compile(r"^```.*?^```|`[^`\n]+`|(?:\[([\w/.-]+\.md))?\]\(([^)\s:#]+)", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown, page, **_):
    folder = posixpath.dirname(PAGES.get(page.file.src_uri, "docs/" + page.file.src_uri))
    return LINK.sub(lambda link: linked(folder, link), markdown)


def linked(folder, link):
    """Returns the beginning of a link to what it leads to in the site. If its text is the name of a document, the text becomes the document's title."""
    name, path = link[1], link[2]
    if path is None:
        return link[0]
    text = "" if name is None else "[" + title(posixpath.normpath(posixpath.join(folder, path)))
    return f"{text}]({target(folder, path)}"


def title(path):
    """Returns the title of a document of the repository."""
    return re.search(r"^# (.*)", (ROOT / path).read_text(), re.MULTILINE)[1]


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
    return FIGURE.sub(figure, CODE.sub(block, content))


# A picture of docs/figures, alone in its paragraph.
FIGURE = re.compile(r'<p><img alt="[^"]*" src="(figures/[\w-]+\.svg)" ?/?></p>')
DRAWING = re.compile(r'(<div class="drawing">.*<p role="status">.*?</p>)', re.DOTALL)


def figure(match):
    """Returns a picture as the command of docs/figures.md draws it in a page, with its pointing."""
    commands = re.findall(rf"^\$ tlayout (.*) -o {match[1]}$", (ROOT / "docs" / "figures.md").read_text(), re.MULTILINE)
    if len(commands) != 1:
        raise ValueError(f"docs/figures.md draws {match[1]} {len(commands)} times")
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "drawing.html")
        subprocess.run([ROOT / "tlayout", *shlex.split(commands[0]), "-o", page, "--quiet"], cwd=ROOT / "testdata", check=True)
        return f'<figure class="picture">{DRAWING.search(page.read_text())[1]}</figure>'


def block(match):
    """Returns a block of code whose lines "$ …" are commands: copying it copies those, without what they print."""
    lines = match[1].split("\n")
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    if not commands:
        return match[0]
    shown = "\n".join("<b>$ " + run(line.removeprefix("$ ")) + "</b>" if line.startswith("$ ") else line for line in lines)
    return f'<div class="highlight" data-copy="{"&#10;".join(commands)}"><pre><code>{shown}</code></pre></div>'


QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
# What the page of the program has not got: other programs, output files, standard input, files but its samples, folders, time to measure, and
# schemas.
BEYOND = json.loads((ROOT / "site" / "beyond.json").read_text())
ABSENT, FILE = re.compile(BEYOND["words"]), re.compile(BEYOND["files"])
SAMPLES = json.loads(re.search(r"^const samples = (\[.*\]);", (ROOT / "web" / "given.js").read_text(), re.MULTILINE)[1])
SAMPLE = re.compile(r"(?<![\w./-])(" + "|".join(map(re.escape, SAMPLES)) + ")")


def run(escaped):
    """Returns a command, as a link to the page of the program if it runs there."""
    command = html.unescape(escaped)
    arguments = command.removeprefix("tlayout ")
    if arguments == command or FILE.search(SAMPLE.sub("", arguments)) or ABSENT.search(QUOTED.sub("", arguments)):
        return escaped
    return f'<a href="../#{urllib.parse.quote(arguments, safe="")}" title="Run it in this browser">{escaped}</a>'
