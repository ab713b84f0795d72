/**
 * The public answers that something was verified with, in a file: with it, the same can be verified without a network.
 * Nothing in it is trusted but its pin: the SDK verifies each answer again.
 *
 * @module
 */
import { writeFile } from 'node:fs/promises'
import * as z from 'zod'
import type { Client, ConnectOptions, Fetch, Pin } from '#client'
import { invalid } from '../cli-error.ts'
import { readTextFile } from '../texts.ts'

const evidenceSchema = z.strictObject({
  format: z.literal('svc/evidence/v1'),
  core: z.string(),
  /** When the answers were given, epoch ms: the list of logs was valid then. */
  at: z.int(),
  pin: z.unknown(),
  answers: z.record(z.string(), z.unknown()),
})
export type Evidence = z.infer<typeof evidenceSchema>

/** Something is needed that is not in the evidence. */
export class NotKnownError extends Error {
  override readonly name = 'NotKnownError'
  readonly address: string

  constructor(address: string) {
    super(`Not among the evidence: ${address}`)
    this.address = address
  }
}

export interface Recording {
  readonly fetch: Fetch
  readonly answers: Record<string, unknown>
}

/** A `fetch` that keeps the JSON that it is answered to reading requests. */
export function recording(fetch: Fetch): Recording {
  const answers: Record<string, unknown> = {}
  return {
    answers,
    async fetch(url, init) {
      const response = await fetch(url, init)
      const isKept = init.method === 'GET' && response.ok && init.headers['authorization'] === undefined
      if (isKept) {
        const { readAnyJson } = await import('#client/functions')
        answers[url] = (await readAnyJson(response.clone())) ?? null
      }
      return response
    },
  }
}

export async function writeEvidence(path: string, client: Client, core: string, { answers }: Recording, at: number) {
  const pin = client.discovery?.pin ?? null
  const evidence: Evidence = { format: 'svc/evidence/v1', core, at, pin, answers }
  await writeFile(path, `${JSON.stringify(evidence)}\n`, { mode: 0o600 })
}

export async function readEvidence(path: string): Promise<Evidence> {
  const text = await readTextFile(path, 'make it with svc verify --evidence FILE, without --offline')
  const parsed = evidenceSchema.safeParse(jsonOf(text))
  if (parsed.success) return parsed.data
  throw invalid(
    'malformed',
    `${path} has no evidence in it`,
    'make it with svc verify --evidence FILE, without --offline',
  )
}

/** Options of a client that asks nobody. */
export function replayed({ core, at, pin, answers }: Evidence, needed: string[]): ConnectOptions {
  return {
    core,
    pinned: pin as Pin,
    realm: (pin as Pin | null)?.realm ?? core,
    now: () => at,
    retries: false,
    fetch: async (url) => {
      if (Object.hasOwn(answers, url)) return Response.json(answers[url])
      needed.push(url)
      throw new NotKnownError(url)
    },
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
