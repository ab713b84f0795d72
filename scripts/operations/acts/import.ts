import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { visibleJsonOf } from '@svc/client/text'
import { resolveFromCaller, SetupError } from '@svc/platform/workspace'
import {
  historicalCommitmentSchema,
  importedSchema,
  MAX_IMPORTED,
  ownerlessConsentSchema,
} from '@svc/protocol/operator/imports'
import { type ActTarget, type OperatorAct, sendOperatorAct } from './operator-act.ts'

const IMPORTS = {
  commitments: {
    type: 'svc/operator-import-commitments/v1',
    service: 'provenance',
    member: 'commitments',
    line: historicalCommitmentSchema,
  },
  consent: {
    type: 'svc/operator-import-consent/v1',
    service: 'consent',
    member: 'records',
    line: ownerlessConsentSchema,
  },
} as const
type Line = (typeof IMPORTS)[ImportName]['line']
export type ImportName = keyof typeof IMPORTS

export function isImport(name: string | undefined): name is ImportName {
  return name !== undefined && Object.hasOwn(IMPORTS, name)
}

/** The acts for a text of JSON lines, one for each page. A line that cannot be imported is named, and nothing is sent. */
export function importActs(name: ImportName, text: string): OperatorAct[] {
  const { type, service, member, line: schema } = IMPORTS[name]
  const records = text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [recordOf(schema, line, i + 1)]))
  const pages = Array.from({ length: Math.ceil(records.length / MAX_IMPORTED) }, (_, i) =>
    records.slice(i * MAX_IMPORTED, (i + 1) * MAX_IMPORTED),
  )
  return pages.map((page) => ({ type, service, members: { [member]: page } }))
}

function recordOf(schema: Line, line: string, number: number): unknown {
  try {
    return schema.parse(JSON.parse(line))
  } catch (cause) {
    throw new SetupError(`Line ${number} is not a record to import: ${(cause as Error).message}`)
  }
}

/** Sends the acts of a file one after another. Returns the exit status: 1 if a record was refused. */
export async function importFile(target: ActTarget, seed: Uint8Array, name: ImportName, file: string): Promise<number> {
  let refused = 0
  for (const act of importActs(name, readFileSync(resolveFromCaller(file), 'utf8'))) {
    const response = await sentWhenAllowed(target, seed, act)
    const body = (await response.json()) as { data?: unknown }
    console.log(visibleJsonOf(body, 2))
    if (!response.ok) return 1
    refused += importedSchema.parse(body.data).refused.length
  }
  return refused === 0 ? 0 : 1
}

/** A service takes 20 acts in a minute, so that a long file waits in between. */
async function sentWhenAllowed(target: ActTarget, seed: Uint8Array, act: OperatorAct): Promise<Response> {
  for (;;) {
    const response = await sendOperatorAct(target, seed, act)
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    if (response.status !== 429 || !Number.isFinite(seconds)) return response
    await response.body?.cancel()
    await setTimeout(seconds * 1_000)
  }
}
