/**
 * A log as it was kept. The schema of a kind is loaded with the first log of that kind, because all of them together are
 * a third of a verifier.
 *
 * @module
 */

import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import { answerSchema } from '#protocol/http/answer-schema'
import { readContent } from '../verification/read-content.ts'
import { LOG_KINDS, type LogKind } from './errors.ts'
import type { Remembered } from './known-logs.ts'

const LOADERS = {
  agreement: () => import('./schemas/agreements.ts').then(({ agreement }) => agreement),
  account: () => import('./schemas/agreements.ts').then(({ account }) => account),
  chain: () => import('./schemas/chain.ts').then(({ chain }) => chain),
  genesis: () => import('./schemas/chain.ts').then(({ genesis }) => genesis),
  inception: () => import('./schemas/inception.ts').then(({ inception }) => inception),
  keys: () => import('./schemas/keys.ts').then(({ keys }) => keys),
  label: () => import('./schemas/label.ts').then(({ label }) => label),
  organization: () => import('./schemas/organization.ts').then(({ organization }) => organization),
  note: () => import('./schemas/notes.ts').then(({ note }) => note),
  vault: () => import('./schemas/notes.ts').then(({ vault }) => vault),
  transparency: () => import('./schemas/transparency.ts').then(({ transparency }) => transparency),
  anchors: () => import('./schemas/anchors.ts').then(({ anchors }) => anchors),
  events: () => import('./schemas/events.ts').then(({ events }) => events),
} satisfies Record<LogKind, () => Promise<z.ZodType>>

const storedSchema = /* @__PURE__ */ pure(() =>
  z.object({
    name: z.object({ kind: z.enum(LOG_KINDS), of: z.string() }),
    pieces: z.unknown(),
    pending: z.unknown(),
  }),
)

const load = (kind: LogKind): Promise<z.ZodType> => LOADERS[kind]()

/** Reads `{ name, pieces, pending }`. Members of entries that this SDK does not know are kept: they are signed. */
export async function readStoredLog(value: unknown): Promise<Remembered> {
  const { name, ...log } = readContent('memory', storedSchema, value)
  const schema = answerSchema(await load(name.kind))
  const { pieces, pending } = readContent('memory', schema, { ...name, ...log }) as Omit<Remembered, 'name'>
  return { name, pieces, pending }
}
