/**
 * The operator act that rebuilds objects from their records, after they were lost or restored to an earlier time
 * (workers/docs/pages/developer/restore.md).
 *
 * @module
 */
import * as z from 'zod'
import { signedSchema } from '../base/statement.ts'
import { actSchema } from './act.ts'

/** Objects of one act: the records of each are read, and it is called. */
export const REBUILT_AT_ONCE = 20

/** The objects that each service records. */
export const RECORDED_OBJECTS = {
  core: ['identities'],
} as const
export type CoreObjects = (typeof RECORDED_OBJECTS)['core'][number]

export const rebuildCoreObjectsSchema = actSchema('svc/operator-rebuild-objects/v1', 'core', {
  objects: z.enum(RECORDED_OBJECTS.core).meta({ description: 'What is rebuilt' }),
  name: z
    .string()
    .min(1)
    .max(256)
    .nullable()
    .meta({ description: 'The DID of one of them; null for a page of all that have records' }),
  after: z.string().max(256).nullable().meta({ description: 'Null to begin; then `next` of the previous response' }),
  replaces: z.boolean().meta({
    description: 'Discard what an object has written since it was created anew or restored to an earlier time',
  }),
  lostAt: z
    .int()
    .min(0)
    .meta({ description: 'When the state was lost, or later, epoch ms. Nothing signed before is accepted afterwards' }),
}).meta({ id: 'RebuildObjectsAct', description: 'Rebuild objects from their records' })
export type RebuildObjects = Pick<
  z.infer<typeof rebuildCoreObjectsSchema>,
  'objects' | 'name' | 'after' | 'replaces' | 'lostAt'
>

export const signedRebuildObjectsSchema = signedSchema(rebuildCoreObjectsSchema).meta({ id: 'SignedRebuildObjects' })

export const rebuiltObjectsSchema = z
  .strictObject({
    type: z.string(),
    nonce: z.string(),
    recordedAt: z.number(),
    rebuilt: z.int().min(0).meta({ description: 'Objects that have now what their records have' }),
    unchanged: z.int().min(0).meta({ description: 'Objects that had it' }),
    recorded: z.int().min(0).meta({ description: 'Objects without records, which are recorded again' }),
    newer: z
      .array(z.string())
      .meta({ description: 'Names of objects that have written since, and are left as they are without `replaces`' }),
    failed: z
      .array(z.string())
      .meta({ description: 'Names of objects whose rebuild failed, and which are as they were' }),
    unreadable: z.int().min(0).meta({ description: 'Objects whose newest record cannot be read' }),
    next: z.string().nullable().meta({ description: '`after` for the next page; null on the last' }),
  })
  .meta({ id: 'RebuiltObjects' })
export type RebuiltObjects = Pick<
  z.infer<typeof rebuiltObjectsSchema>,
  'rebuilt' | 'unchanged' | 'recorded' | 'newer' | 'failed' | 'unreadable' | 'next'
>
