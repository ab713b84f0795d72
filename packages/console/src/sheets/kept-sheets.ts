/**
 * Stores the records of the identity's sheets in this browser: public keys, and when their words were checked. They have
 * no secrets, so the overview can show them while the root key is encrypted.
 *
 * @module
 */
import type { KeptRecovery } from '@svc/client'
import type { SheetRecord } from '@svc/client/recovery-words'
import { databaseOf } from '../kept/database.ts'

export interface KeptSheets {
  readonly did: string
  readonly sheets: readonly SheetRecord[]
  readonly recovery: KeptRecovery
}

const SHEETS = 'sheets'
const store = () => databaseOf('console-sheets')

export const keepSheets = (kept: KeptSheets): Promise<void> => store().set(SHEETS, kept)

/** Returns the stored sheets; null if this browser has none for that identity. */
export async function keptSheets(did: string): Promise<KeptSheets | null> {
  const kept = (await store().get(SHEETS)) as KeptSheets | undefined
  return kept?.did === did ? kept : null
}

export const forgetSheets = (): Promise<void> => store().delete(SHEETS)
