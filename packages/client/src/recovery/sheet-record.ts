/**
 * What a client keeps of a sheet whose words lie elsewhere: its public keys for some epochs ahead. With them the recovery
 * is renewed after a rotation, and the next commitment made, without a walk to the sheet.
 *
 * @module
 */
import * as z from 'zod'
import { publicKeySchema } from '#protocol/base/identity'
import { kemPublicKeySchema, x25519KeySchema } from '#protocol/base/key-agreement'
import { pure } from '#protocol/base/pure'
import { checkCall } from '../arguments/check.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import type { SheetKey, SuccessorSource } from './commitment-of.ts'
import type { SuccessorSheet } from './successor-sheet.ts'

/** A rotation uses up one, and needs the one after. Three sheets with 8 keys are 63 kB of JSON. */
export const EPOCHS_AHEAD = 8

export const sheetRecordSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    /** The epoch that the first of the keys opens. */
    firstEpoch: z.int().min(1),
    publicKeysB64u: z.array(publicKeySchema).min(1).max(EPOCHS_AHEAD),
    /** What notes are encrypted to, so that the words open them. */
    kemPublicKeyB64u: kemPublicKeySchema,
    x25519B64u: x25519KeySchema,
    /** When its owner typed words of it from the paper, epoch ms; null if never. */
    confirmedAt: z.int().min(0).nullable(),
  }),
)
/** What is known of a sheet without its words. Nothing in it is secret. */
export type SheetRecord = z.infer<typeof sheetRecordSchema>

/** What to keep of a sheet: its keys of an epoch and those after. Made again from the words when they are used up. */
export async function recordOfSheet(
  sheet: SuccessorSheet,
  key: SheetKey,
  options: { readonly confirmedAt?: number | null } = {},
): Promise<SheetRecord> {
  checkCall(
    'recordOfSheet',
    [sheet, key, options],
    ['sheet', ['key', { scope: 1, epoch: 1 }], ['options?', { confirmedAt: 0 }]],
  )
  const { scope, epoch: firstEpoch } = key
  const epochs = Array.from({ length: EPOCHS_AHEAD }, (_, at) => firstEpoch + at)
  const keys = await Promise.all(epochs.map((epoch) => sheet.successor({ scope, epoch })))
  const { kemPublicKeyB64u, x25519B64u } = await sheet.reader(scope)
  const publicKeysB64u = keys.map(({ publicKeyB64u }) => publicKeyB64u)
  return { firstEpoch, publicKeysB64u, kemPublicKeyB64u, x25519B64u, confirmedAt: options.confirmedAt ?? null }
}

/** The public key of a record for an epoch; null if the record does not reach it. */
export function recordedKey({ firstEpoch, publicKeysB64u }: SheetRecord, epoch: number): string | null {
  return publicKeysB64u[epoch - firstEpoch] ?? null
}

/** A recorded sheet, to commit to and to renew a recovery. Throws a `ConfigurationError` where its words are needed. */
export function recordedSheet(record: SheetRecord): SuccessorSource {
  checkCall('recordedSheet', [record], ['record'])
  return {
    async successor({ epoch }) {
      const publicKeyB64u = recordedKey(record, epoch)
      if (publicKeyB64u !== null) return { publicKeyB64u }
      throw new ConfigurationError(
        'sheets',
        `No key of this sheet is recorded for epoch ${epoch}: its words are needed`,
      )
    },
  }
}
