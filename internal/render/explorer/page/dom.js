// Elements are made, never parsed from HTML, so that names and values stay text.
const byId = id => document.getElementById(id);

// make makes an element with properties, attributes (role, and names with a dash) and children, nodes or text.
const make = (tag, properties = {}, ...children) => {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(properties)) {
		if (name.includes("-") || name === "role") node.setAttribute(name, value);
		else node[name] = value;
	}
	node.append(...children);
	return node;
};

// grouped formats an integer of five or more digits with thin spaces between thousands: 1280, 12 800.
const grouped = n => Math.abs(n) < 10000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");

// count formats a number with its noun: "1 line", "12 lines".
const count = (n, one, many = one + "s") => `${grouped(n)} ${n === 1 ? one : many}`;
