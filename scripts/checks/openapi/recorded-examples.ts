/**
 * Records examples for the OpenAPI documents from what tests send and receive. Set `SVC_RECORD_EXAMPLES` and run tests:
 * `fill` adds bodies to the `examples.json` of each Worker that have no example, `replace` also replaces those that have one.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DocumentedAnswers, nameOf } from '@svc/platform/documented-answers'
import { operationAt, readApi, type Schema } from '@svc/platform/documented-api'
import { DEFAULT_PORT_BASE, ROOT, type WorkerName } from '@svc/platform/workspace'
import { answerName, type BodyName } from '@svc/service/examples'
import { onDefaultPorts } from './local-ports.ts'

/** What was asked, and what was answered. */
export interface Exchange {
  readonly method: string
  readonly pathname: string
  readonly status: number
  readonly contentType: string
  /** Undefined if it was not JSON. */
  readonly request?: unknown
  readonly answer?: unknown
}

type Examples = Record<string, Record<string, unknown>>

/** Its description would contain itself. */
const UNRECORDED = new Set(['readOpenapi'])
/** An example shows a body; a list in it need not be complete. The largest, a grant with its log, has 47 kB. */
const MAX_BYTES = 65_536
const MAX_ITEMS = 2

export const recordingMode = () => process.env['SVC_RECORD_EXAMPLES'] as 'fill' | 'replace' | undefined

/** Undefined for what is not JSON. */
export function jsonIn(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The examples of one service. */
export class ExampleRecorder {
  readonly #service: WorkerName
  readonly #portBase: number
  readonly #api
  readonly #documented
  readonly #found: Examples = {}

  /** `portBase` is that of the platform that is recorded. */
  constructor(service: WorkerName, portBase = DEFAULT_PORT_BASE) {
    this.#service = service
    this.#portBase = portBase
    this.#api = readApi([service])
    this.#documented = new DocumentedAnswers(this.#api)
  }

  record({ method, pathname, status, contentType, request, answer }: Exchange): void {
    if (nameOf(answer) !== '') return
    const operation = operationAt(this.#api.operations, this.#service, method, pathname)
    if (!operation || UNRECORDED.has(operation.documented.operationId)) return
    const { operationId, requestBody, responses } = operation.documented
    const type = contentType.split(';')[0] ?? ''
    const take = (name: BodyName, schema: Schema | undefined, value: unknown) => {
      if (!schema || value === undefined) return
      const shown = this.#shown(
        schema,
        mapped(value, (part) => this.#portable(part)),
      )
      const known = this.#found[operationId]?.[name]
      if (shown === undefined || (known !== undefined && !isRicher(shown, known))) return
      this.#found[operationId] = { ...this.#found[operationId], [name]: shown }
    }
    take('request', requestBody?.content['application/json']?.schema, request)
    take(answerName(status, type), responses[String(status)]?.content?.[type]?.schema, answer)
  }

  #portable(part: unknown): unknown {
    return typeof part === 'string' ? onDefaultPorts(part, this.#portBase) : part
  }

  /** With short lists, as far as the schema allows. Undefined if it is still too large. */
  #shown(schema: Schema, value: unknown): unknown {
    const isValid = (shown: unknown) => this.#documented.faultOfBody(this.#service, schema, shown) === null
    if (!isValid(value)) return undefined
    const cut = mapped(value, (part) => (Array.isArray(part) ? part.slice(0, MAX_ITEMS) : part))
    const shown = isValid(cut) ? cut : value
    return JSON.stringify(shown).length <= MAX_BYTES ? shown : undefined
  }

  save(): void {
    const path = join(ROOT, 'workers', this.#service, 'examples.json')
    const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Examples) : {}
    for (const [id, bodies] of Object.entries(this.#found))
      kept[id] = recordingMode() === 'replace' ? { ...kept[id], ...bodies } : { ...bodies, ...kept[id] }
    writeFileSync(path, `${JSON.stringify(ordered(kept), null, 2)}\n`)
  }
}

function isRicher(one: unknown, other: unknown): boolean {
  const [members, known] = [membersOf(one), membersOf(other)]
  return members > known || (members === known && JSON.stringify(one).length < JSON.stringify(other).length)
}

/** How many different members a value has, at any depth. */
function membersOf(value: unknown, path = '', found = new Set<string>()): number {
  if (Array.isArray(value)) for (const item of value) membersOf(item, `${path}[]`, found)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value))
      membersOf(member, `${path}.${name}`, found.add(`${path}.${name}`))
  }
  return found.size
}

function mapped(value: unknown, change: (part: unknown) => unknown): unknown {
  const changed = change(value)
  if (Array.isArray(changed)) return changed.map((item) => mapped(item, change))
  if (typeof changed !== 'object' || changed === null) return changed
  return Object.fromEntries(Object.entries(changed).map(([name, member]) => [name, mapped(member, change)]))
}

const ordered = (examples: Examples): Examples =>
  Object.fromEntries(Object.entries(examples).toSorted(([a], [b]) => (a < b ? -1 : 1)))
