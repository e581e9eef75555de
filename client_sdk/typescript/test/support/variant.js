// Copies of the sim modules that are changed on the way: with every intermediate checked, or with a
// fault planted. The modules themselves stay plain arithmetic.
//
// Checked: the result of every + - * has to be an integer below 2^53 in magnitude, and what is
// shifted by >> has to fit into the 32 bits JavaScript keeps of it. Strings may be joined.

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SOURCE = fileURLToPath(new URL("../../src/sim/", import.meta.url));

/** What the checked copies import. */
const CHECKER = `
export const seen = { largest: 0, where: "", operations: 0 };
export function checked(value, where) {
  if (typeof value === "string") return value;
  seen.operations++;
  if (!Number.isSafeInteger(value)) throw new RangeError(value + " is not exact: " + where);
  const size = Math.abs(value);
  if (size > seen.largest) {
    seen.largest = size;
    seen.where = where;
  }
  return value;
}
export function word(value, where) {
  if (value !== (value | 0)) throw new RangeError(value + " does not fit into 32 bits: " + where);
  return value;
}
`;

const TOKEN =
  /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[0-9][0-9a-zA-Z_.]*|[A-Za-z_$#][A-Za-z0-9_$]*|\.\.\.|=>|>>>=|<<=|>>=|>>>|===|!==|\*\*=|\*\*|&&=|\|\|=|\?\?=|&&|\|\||\?\?|\?\.|\+\+|--|<<|>>|<=|>=|==|!=|[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.()[\]{}]/gy;

const KEYWORDS = new Set(
  ("break case class const continue default else export extends for from if import in let new of " +
    "return static throw typeof void while").split(" "),
);
const PRECEDENCE = { "*": 3, "/": 3, "%": 3, "+": 2, "-": 2, "<<": 1, ">>": 1, ">>>": 1 };
const CLOSING = { "(": ")", "[": "]", "{": "}" };
const REFUSED = new Set(["**", "**=", "*=", "+=", "-=", "/=", "%=", "<<=", ">>="]);

function tokenize(source, file) {
  const tokens = [];
  let gap = "";
  TOKEN.lastIndex = 0;
  for (let at = 0; at < source.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(source);
    if (!match) throw new SyntaxError(`${file}: can't read: ${source.slice(at, at + 40)}`);
    const text = match[0];
    if (/^(\s|\/\/|\/\*)/.test(text)) {
      gap += text;
    } else {
      tokens.push({ text, gap, start: at, end: TOKEN.lastIndex });
      gap = "";
    }
  }
  return tokens;
}

/** Rewrites what these modules use of JavaScript; anything that could slip through is refused. */
class Rewriter {
  constructor(source, file) {
    this.source = source;
    this.file = file;
    this.tokens = tokenize(source, file);
    this.i = 0;
  }

  peek() {
    return this.tokens[this.i]?.text;
  }

  take() {
    const token = this.tokens[this.i++];
    if (REFUSED.has(token.text)) throw new SyntaxError(`${this.label(token, token)}: write it out`);
    return token.gap + token.text;
  }

  label(from, to) {
    const line = this.source.slice(0, from.start).split("\n").length;
    return `${this.file}:${line}: ${this.source.slice(from.start, to.end).replace(/\s+/g, " ")}`;
  }

  /** Up to a closing bracket or the end. */
  sequence(closing) {
    let out = "";
    while (this.i < this.tokens.length && this.peek() !== closing) {
      out += this.startsOperand() ? this.binary(1) : this.peek() === "{" ? this.group() : this.take();
    }
    return out;
  }

  group() {
    const closing = CLOSING[this.peek()];
    const out = this.take() + this.sequence(closing);
    return out + this.take();
  }

  startsOperand() {
    const text = this.peek();
    if (/^[A-Za-z_$#]/.test(text)) return !KEYWORDS.has(text);
    return /^[0-9"`([!~]/.test(text) || ["-", "+", "++", "--"].includes(text);
  }

  operand() {
    if (["-", "+", "!", "~", "++", "--"].includes(this.peek())) return this.take() + this.operand();
    let out = ["(", "["].includes(this.peek()) ? this.group() : this.take();
    for (;;) {
      const text = this.peek();
      if (text === "." || text === "?.") out += this.take() + this.take();
      else if (text === "(" || text === "[") out += this.group();
      else if (text === "++" || text === "--") out += this.take();
      else return out;
    }
  }

  binary(least) {
    const first = this.tokens[this.i];
    let left = this.operand();
    for (let p; (p = PRECEDENCE[this.peek()]) >= least; ) {
      const operator = this.peek();
      const taken = this.take();
      const right = this.binary(p + 1);
      const where = JSON.stringify(this.label(first, this.tokens[this.i - 1]));
      if (operator === ">>") left = ` word(${left}, ${where})${taken}${right}`;
      else if ("+-*".includes(operator)) left = ` checked(${left}${taken}${right}, ${where})`;
      else left += taken + right;
    }
    return left;
  }
}

/** The module's text with every intermediate checked. */
export function withChecks(source, file) {
  const body = new Rewriter(source, file).sequence(undefined);
  return `import { checked, word } from "./checker.js";\n${body}\n`;
}

/**
 * Writes a changed copy of the modules and returns it.
 *
 * @param {{checks?: boolean, fault?: {file: string, from: string, to: string}}} options
 * @returns {{load: (file: string) => Promise<any>, remove: () => void}} a copy's modules, by name
 */
export function variant({ checks = false, fault }) {
  const directory = mkdtempSync(join(tmpdir(), "contrail-sim-"));
  writeFileSync(join(directory, "package.json"), '{"type":"module"}');
  writeFileSync(join(directory, "checker.js"), CHECKER);
  for (const file of readdirSync(SOURCE)) {
    let text = readFileSync(join(SOURCE, file), "utf8");
    if (fault?.file === file) {
      if (text.split(fault.from).length !== 2) {
        throw new Error(`"${fault.from}" is not exactly once in ${file}`);
      }
      text = text.replace(fault.from, () => fault.to);
    }
    writeFileSync(join(directory, file), checks ? withChecks(text, file) : text);
  }
  return {
    load: (file) => import(pathToFileURL(join(directory, file)).href),
    remove: () => rmSync(directory, { recursive: true }),
  };
}
