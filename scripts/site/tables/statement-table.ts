import { globSync } from 'node:fs'
import { join } from 'node:path'
import { STATEMENT_TYPES, type StatementType } from '@svc/protocol/base/statement'
import { type NamedPlace, STATEMENT_ORDER } from '@svc/protocol/statements/order'
import { STATEMENT_RULES } from '@svc/protocol/statements/rules'
import type { ReplayRule } from '@svc/protocol/statements/rules/rule'
import { ROOT } from '../root.ts'

export const STATEMENT_MARKER =
  '<!-- The table below is generated from the schemas and packages/protocol/src/statements/rules.ts -->'

export const ORDER_MARKER = '<!-- The table below is generated from packages/protocol/src/statements/order.ts -->'

const NAMES: Readonly<Record<NamedPlace, string>> = {
  inception: 'the newest event that its signer knew',
  event: 'the event before it (`previousHash`)',
  fixed: 'nothing, because the interface defines its record',
}

/** Returns the table of how statements of root keys and devices are ordered. */
export function orderTable(): string {
  const rows = Object.entries(STATEMENT_ORDER).map(
    ([type, { names, follows }]) => `| \`${type}\` | ${NAMES[names]} | ${follows} |`,
  )
  return `| Statement | Names | What follows it |\n|---|---|---|\n${rows.join('\n')}`
}

/** Members that every statement has; the page says so once. */
const COMMON: ReadonlySet<string> = new Set(['type', 'realm', 'issuedAt'])

interface ObjectSchema {
  readonly shape: Readonly<Record<string, { readonly value?: unknown }>>
}

/** The table of all statements: what each commits to is read from its schema, the rest from its rule. */
export async function statementTable(): Promise<string> {
  const members = await signedMembers()
  const rows = STATEMENT_TYPES.toSorted().map((type) => {
    const { signer, verifier, replay, expires } = STATEMENT_RULES[type]
    const signed = members.get(type)
    if (!signed) throw new Error(`${type} has no schema`)
    return `| \`${type}\` | ${signer} | ${code(signed)} | ${verifier} | ${replayText(replay)} | ${expires} |`
  })
  const head = '| `type` | Signed by | Commits to | Verified by | A copy of it | Expires |\n|---|---|---|---|---|---|'
  return `${head}\n${rows.join('\n')}`
}

/** The signed members of each type, from every schema that the protocol exports. */
async function signedMembers(): Promise<Map<string, string[]>> {
  const files = globSync('packages/protocol/src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts', '**/*.fixture.ts'] })
  const modules = await Promise.all(files.map((file) => import(join(ROOT, file)) as Promise<Record<string, unknown>>))
  const found = new Map<string, string[]>()
  for (const value of modules.flatMap((module) => Object.values(module))) {
    if (!isObjectSchema(value) || !('issuedAt' in value.shape)) continue
    const type = value.shape['type']?.value
    if (isStatementType(type))
      found.set(
        type,
        Object.keys(value.shape).filter((name) => !COMMON.has(name)),
      )
  }
  return found
}

function isObjectSchema(value: unknown): value is ObjectSchema {
  return typeof value === 'object' && value !== null && 'shape' in value && typeof value.shape === 'object'
}

function isStatementType(type: unknown): type is StatementType {
  return STATEMENT_TYPES.some((known) => known === type)
}

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

function replayText({ kind, members }: ReplayRule): string {
  switch (kind) {
    case 'nonce':
      return `is refused: each ${code(members)} is accepted once`
    case 'position':
      return `is refused: its position (${code(members)}) is taken`
    case 'newest':
      return `changes nothing: only a later ${code(members)} does`
    case 'once':
      return `returns the same result, which is decided once for its ${code(members)}`
    case 'check':
      return 'changes nothing: it is checked again'
    case 'clock':
      return `returns the same result, while ${code(members)} is current`
    case 'container':
      return `does nothing alone: ${code(members)} ties it to the statement that carries it`
    case 'receipt':
      return 'proves the same as the original'
  }
}
