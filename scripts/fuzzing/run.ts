import type { Identity } from '@svc/client'
import { Person } from '@svc/platform/callers/person'
import type { Api, Operation } from '@svc/platform/documented-api'
import type { WorkerName } from '@svc/platform/workspace'
import * as fc from 'fast-check'
import { Judge } from './judge.ts'
import { type FuzzRequest, requestsTo } from './requests.ts'
import { Sender } from './sender.ts'

const LANES = 4
const IDENTITIES = 8

export interface Sampling {
  /** Requests to each operation. */
  readonly numRuns: number
  readonly seed: number
  /** Repeats the request that an earlier run reported under this path. */
  readonly path?: string
}

/** Sends generated requests to the operations of a running platform. Returns a description of each fault. */
export async function fuzz(
  urls: Readonly<Record<WorkerName, string>>,
  api: Api,
  operations: readonly Operation[],
  sampling: Sampling,
): Promise<string[]> {
  const failures: string[] = []
  const judge = new Judge(api)
  const sender = new Sender(urls, await peopleAt(urls.core))
  const waiting = [...operations]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const operation = next
      const found = await fc.check(
        fc.asyncProperty(requestsTo(operation, api), (wanted) => holds(operation, wanted, sender, judge)),
        sampling,
      )
      if (found.failed) failures.push(told(operation, found))
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return failures
}

async function holds(operation: Operation, wanted: FuzzRequest, sender: Sender, judge: Judge): Promise<void> {
  const { service, documented } = operation
  const [answer, pathname] = await sender.send(service, documented['x-audience']?.[0], wanted)
  const fault = judge.faultOf(service, wanted.method, pathname, answer)
  if (fault !== null) throw new Error(fault)
}

function told({ service, documented }: Operation, found: fc.RunDetails<[FuzzRequest]>): string {
  const [wanted] = found.counterexample ?? []
  const body = wanted?.body === undefined ? '' : `\n  ${new TextDecoder().decode(wanted.body).slice(0, 400)}`
  const headers = JSON.stringify(wanted?.headers ?? {})
  const cause = found.errorInstance instanceof Error ? found.errorInstance.message : ''
  return (
    `${service} ${documented.operationId}: ${cause}\n  ${wanted?.method} ${wanted?.path.slice(0, 300)} ${headers} ` +
    `credential: ${wanted?.credential}${body}\n  again with: --seed ${found.seed} --path ${found.counterexamplePath} ${documented.operationId}`
  )
}

async function peopleAt(core: string): Promise<Identity[]> {
  const people: Identity[] = []
  for (let i = 0; i < IDENTITIES; i++) people.push((await Person.create(core)).identity)
  return people
}
