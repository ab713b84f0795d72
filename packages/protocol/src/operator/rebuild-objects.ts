/**
 * The operator act that rebuilds objects from their records, after they were lost or restored to an earlier time
 * (workers/docs/pages/developer/restore.md).
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { signedSchema } from '../base/statement.ts'
import { actSchema } from './act.ts'
import { actDate } from './dates.ts'

/** Objects of one act: the records of each are read, and it is called. */
export const REBUILT_AT_ONCE = 20

/** The objects that each service records, and the folders of their records. */
export const RECORDED_OBJECTS = {
  core: ['identities', 'vaults', 'inboxes'],
  provenance: ['capsule-buckets', 'capsule-owners'],
  consent: ['consent-stores', 'consent-creators'],
  did: ['organizations', 'memberships'],
  keys: ['accounts'],
  pay: ['meters'],
} as const
export type RecordingService = keyof typeof RECORDED_OBJECTS
export type RecordedObjects = (typeof RECORDED_OBJECTS)[RecordingService][number]

/** The act at one service. */
function rebuildSchema<const S extends RecordingService>(service: S, title: string) {
  return actSchema(
    'svc/operator-rebuild-objects/v1',
    service,
    {
      objects: z.enum(RECORDED_OBJECTS[service]).meta({ description: 'What is rebuilt' }),
      name: z
        .string()
        .min(1)
        .max(256)
        .nullable()
        .meta({ description: 'The name of one of them, such as its DID; null for a page of all that have records' }),
      after: z
        .string()
        .max(256)
        .nullable()
        .meta({ description: 'Null to begin; then `next` of the previous response' }),
      replaces: z.boolean().meta({
        description: 'Discard what an object has written since it was created anew or restored to an earlier time',
      }),
      lostAt: actDate('past', 'When the state was lost, or later. Nothing signed before is accepted afterwards'),
    },
    { lostAt: 'past' },
  ).meta({ id: `Rebuild${title}ObjectsAct`, description: 'Rebuild objects from their records' })
}

export const rebuildCoreObjectsSchema = /* @__PURE__ */ rebuildSchema('core', 'Core')

export const rebuildSchemas = /* @__PURE__ */ pure(
  () =>
    ({
      core: signedSchema(rebuildCoreObjectsSchema).meta({ id: 'SignedRebuildCoreObjects' }),
      provenance: signedSchema(rebuildSchema('provenance', 'Provenance')).meta({
        id: 'SignedRebuildProvenanceObjects',
      }),
      consent: signedSchema(rebuildSchema('consent', 'Consent')).meta({ id: 'SignedRebuildConsentObjects' }),
      did: signedSchema(rebuildSchema('did', 'Did')).meta({ id: 'SignedRebuildDidObjects' }),
      keys: signedSchema(rebuildSchema('keys', 'Keys')).meta({ id: 'SignedRebuildKeysObjects' }),
      pay: signedSchema(rebuildSchema('pay', 'Pay')).meta({ id: 'SignedRebuildPayObjects' }),
    }) as const,
)

/** What the act of any service asks for. */
export interface RebuildObjects<O extends RecordedObjects = RecordedObjects> {
  readonly objects: O
  readonly name: string | null
  readonly after: string | null
  readonly replaces: boolean
  readonly lostAt: number
}

export const rebuiltObjectsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      type: z.string(),
      nonce: z.string(),
      recordedAt: z.number(),
      rebuilt: z.int().min(0).meta({ description: 'Objects that have now what their records have' }),
      unchanged: z.int().min(0).meta({ description: 'Objects that had it' }),
      recorded: z.int().min(0).meta({
        description:
          'Objects that are as they were and are recorded again: records are missing, damaged or under an older seed',
      }),
      erased: z.int().min(0).meta({
        description:
          'Objects that cannot come back whole because an erasure key is gone: rows were left out, or the object stays as it was',
      }),
      newer: z
        .array(z.string())
        .meta({ description: 'Names of objects that have written since, and are left as they are without `replaces`' }),
      failed: z
        .array(z.string())
        .meta({ description: 'Names of objects whose rebuild failed, and which are as they were' }),
      unreadable: z.int().min(0).meta({ description: 'Objects whose newest record cannot be read' }),
      next: z.string().nullable().meta({ description: '`after` for the next page; null on the last' }),
    })
    .meta({ id: 'RebuiltObjects' }),
)
export type RebuiltObjects = Pick<
  z.infer<typeof rebuiltObjectsSchema>,
  'rebuilt' | 'unchanged' | 'recorded' | 'erased' | 'newer' | 'failed' | 'unreadable' | 'next'
>
