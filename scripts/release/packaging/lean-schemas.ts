/**
 * Schemas and tables as applications need them: they parse, and name. In the repository they also describe the OpenAPI
 * documents and pages, by metadata, texts and the parts of Zod that make JSON Schema; in the published package that
 * would be more than a client.
 *
 * @module
 */
import { parseAst } from 'vite'

/** Takes the place of `zod` in the code of the packages. */
export const SCHEMA_LIBRARY = 'packages/client/src/schemas/z.ts'
/** Answers bring the text of their error. */
const ERROR_TABLE = 'packages/protocol/src/http/errors.ts'

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly name?: string
  readonly callee?: Node & { readonly object?: Node; readonly property?: Node }
  readonly arguments?: readonly Node[]
  readonly key?: Node
  readonly value?: Node
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The same module without the metadata of its schemas; the table of errors without its texts, unless they are kept. */
export function lean(code: string, file: string, keepsTexts = false): string {
  const edit = file === ERROR_TABLE && !keepsTexts ? withoutText : withoutMetadata
  let written = ''
  let from = 0
  for (const { start, end, text } of editsOf(parseAst(code), edit)) {
    written += code.slice(from, start) + text
    from = end
  }
  return written + code.slice(from)
}

/** `.meta({ … })` and `.register(registry, { … })` after a schema, or both. */
function withoutMetadata(node: Node): Edit | null {
  const schema = described(node)
  if (!schema) return null
  return { start: (described(schema) ?? schema).end, end: node.end, text: '' }
}

/** The schema that a call describes. */
function described({ type, callee, arguments: args = [] }: Node): Node | null {
  const name = callee?.property?.name
  const isMetadata =
    type === 'CallExpression' && (name === 'meta' || name === 'register') && args.at(-1)?.type === 'ObjectExpression'
  return isMetadata ? (callee?.object ?? null) : null
}

function withoutText({ type, key, value }: Node): Edit | null {
  return type === 'Property' && key?.name === 'text' && value
    ? { start: value.start, end: value.end, text: "''" }
    : null
}

/** In the order of the text. */
function editsOf(root: Node, edit: (node: Node) => Edit | null): Edit[] {
  const found: Edit[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const made = edit(value as Node)
    if (made) found.push(made)
    Object.values(value).forEach(visit)
  }
  visit(root)
  const outer = found.filter(({ start, end }) => !found.some((one) => one.start <= start && end < one.end))
  return outer.toSorted((a, b) => a.start - b.start)
}
