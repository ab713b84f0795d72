/**
 * Lets bundlers drop the constants that a program does not use. A schema is made by calls, and a bundler cannot know
 * that they only make a value: without a mark, a program that calls one function of a module keeps all its schemas, and
 * the library that makes them.
 *
 * @module
 */
import { parseAst } from 'vite'

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}
interface Declaration extends Node {
  readonly kind?: string
  readonly declarations?: readonly { readonly init: Node | null }[]
  readonly declaration?: Declaration | null
}

/** What defines something, and calls nothing while it does. */
const INERT = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'ClassExpression', 'Literal', 'Identifier'])
const CALLS = /[)\]`\w]\s*\(/

/** The same module, with every top-level constant that calls something marked as free of side effects. */
export function markPure(code: string): string {
  const inits = (parseAst(code) as unknown as { readonly body: readonly Declaration[] }).body.flatMap(constantsOf)
  let marked = ''
  let from = 0
  for (const { start, end } of inits) {
    const init = code.slice(start, end)
    marked += code.slice(from, start) + (CALLS.test(init) ? `/* @__PURE__ */ (() => (${init}))()` : init)
    from = end
  }
  return marked + code.slice(from)
}

function constantsOf(node: Declaration): Node[] {
  const { kind, declarations = [] } =
    node.type === 'ExportNamedDeclaration' && node.declaration ? node.declaration : node
  if (kind !== 'const') return []
  return declarations.flatMap(({ init }) =>
    init && !INERT.has(init.type) && init.type !== 'AwaitExpression' ? [init] : [],
  )
}
