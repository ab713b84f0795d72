/**
 * The record of a sheet: its public keys for the next epochs. With it, a client can renew the recovery file and make the
 * next commitment after a rotation while the words stay on paper.
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

/** A rotation uses one key, and its commitment needs the next. Three sheets with 8 keys take 63 kB of JSON. */
export const EPOCHS_AHEAD = 8

export const sheetRecordSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    /** The epoch of the first key. */
    firstEpoch: z.int().min(1),
    publicKeysB64u: z.array(publicKeySchema).min(1).max(EPOCHS_AHEAD),
    /** Notes are encrypted to this key and `x25519B64u`, so that the words can open them. */
    kemPublicKeyB64u: kemPublicKeySchema,
    x25519B64u: x25519KeySchema,
    /** When the owner typed words of the sheet from the paper, epoch ms; null if never. */
    confirmedAt: z.int().min(0).nullable(),
  }),
)
/** The record of a sheet, without its words. It has no secrets. */
export type SheetRecord = z.infer<typeof sheetRecordSchema>

/** Creates the record of a sheet, with its keys from an epoch on. Once they are used up, create it again from the words. */
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

/** Returns the public key of a record for an epoch; null if the record does not cover the epoch. */
export function recordedKey({ firstEpoch, publicKeysB64u }: SheetRecord, epoch: number): string | null {
  return publicKeysB64u[epoch - firstEpoch] ?? null
}

/**
 * Returns a source of successors for commitments and `renewRecovery`. Its `successor` throws a `ConfigurationError` for
 * an epoch that needs the words.
 */
export function recordedSheet(record: SheetRecord): SuccessorSource {
  checkCall('recordedSheet', [record], ['record'])
  return {
    async successor({ epoch }) {
      const publicKeyB64u = recordedKey(record, epoch)
      if (publicKeyB64u !== null) return { publicKeyB64u }
      throw new ConfigurationError(
        'sheets',
        `The record of this sheet has no key for epoch ${epoch}: create it again from the words`,
      )
    },
  }
}
