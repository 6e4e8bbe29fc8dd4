// The page as a tree: elements are made, never written as HTML, so that no name and no value can become any.
const byId = id => document.getElementById(id);

// make makes an element with properties, attributes (names with a dash, and role) and children, which may be text.
const make = (tag, properties = {}, ...children) => {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(properties)) {
		if (name.includes("-") || name === "role") node.setAttribute(name, value);
		else node[name] = value;
	}
	node.append(...children);
	return node;
};

// grouped writes a whole number with a thin space between thousands where it has five digits or more: 1280, 12 800.
const grouped = n => Math.abs(n) < 10000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");

// count writes a number of things: "1 line", "12 lines".
const count = (n, one, many = one + "s") => `${grouped(n)} ${n === 1 ? one : many}`;
