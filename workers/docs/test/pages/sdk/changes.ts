/** Every change of one member of one answer, for examples that must handle all of them. */
import { ServiceError, VerificationError } from '@svc/client'
import { VERIFICATION_REASONS } from '@svc/client/verify'
import { lying } from './lies.ts'
import type { SdkExample } from './sdk-example.ts'

type Path = readonly (string | number)[]
export interface Change {
  /** Which answer, from 1. */
  readonly count: number
  readonly path: Path
}

/** Every member of every answer that the example gets. */
export async function changesOf({ run }: SdkExample): Promise<Change[]> {
  const changes: Change[] = []
  const service = lying(({ count, body }) => {
    changes.push(...leavesOf(body).map((path) => ({ count, path })))
  })
  await run(service.tell)
  return changes
}

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object') return [path]
  return Object.entries(value ?? {}).flatMap(([name, member]) => leavesOf(member, [...path, name]))
}

/** What is wrong with what the example makes of a change, or null: it must have noticed, or not be concerned. */
export async function faultAfter({ run, honest, claims = [] }: SdkExample, change: Change): Promise<string | null> {
  const service = lying(({ count, body }) => {
    if (count === change.count) changeAt(body, change.path)
  })
  try {
    const found = await run(service.tell)
    if (saysWhy(found) || claims.includes(String(change.path.at(-1)))) return null
    return (await isHonest(found, honest)) ? null : `believed: ${JSON.stringify(found)}`
  } catch (error) {
    // A refusal is not about verification: examples let it pass.
    if (error instanceof ServiceError) return null
    return `not handled: ${String(error)}`
  }
}

async function isHonest(found: unknown, honest: SdkExample['honest']): Promise<boolean> {
  try {
    await honest(found)
    return true
  } catch {
    return false
  }
}

function changeAt(body: unknown, path: Path): void {
  const [name = '', ...rest] = path
  const of = body as Record<string | number, unknown>
  if (typeof of !== 'object' || of === null || !(name in of)) return
  if (rest.length > 0) changeAt(of[name], rest)
  else of[name] = changed(of[name])
}

function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'string') return value
  const [first = ''] = value
  const [one, other] = /\d/.test(first) ? ['1', '2'] : ['a', 'b']
  return (first === one ? other : one) + value.slice(1)
}

const REASON = new RegExp(`(?:^|[: ])(?:${Object.keys(VERIFICATION_REASONS).join('|')})(?: at block|$)|"reason":"`)

/** Whether it names the reason of a `VerificationError`. */
function saysWhy(found: unknown): boolean {
  if (typeof found === 'string') return REASON.test(found)
  if (found instanceof VerificationError) return true
  return typeof found === 'object' && found !== null && Object.values(found).some(saysWhy)
}
