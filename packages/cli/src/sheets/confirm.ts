import type { ReadinessOf, SheetRecord } from '#client/recovery-words'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import type { Given, Result } from '../result.ts'
import { rootNow } from './root-now.ts'
import { typedSheet } from './typed-sheet.ts'

/** Checks the words of a sheet against the commitment of the identity, and records that the owner has them. */
export async function confirm(context: Context, given: Given): Promise<Result> {
  const did = await context.did()
  const { keys, passphrase } = await context.keys.open(did)
  const { scope, epoch, commitment } = await rootNow(context, did, keys)
  const sheet = await typedSheet(context, given.args[0])
  const { commitmentOf, recordOfSheet } = await import('#client/recovery-words')
  const key = { scope, epoch: epoch + 1 }
  const { next } = await commitmentOf([sheet], key)
  if (!next.every((hash) => commitment.next.includes(hash)))
    throw usage('The identity has not committed to the key of this sheet', 'compare the words with the paper')
  const record = await recordOfSheet(sheet, key, { confirmedAt: context.environment.now() })
  const sheets = await confirmedSheets(keys.sheets, record, { epoch, commitment })
  const at = sheets.indexOf(record)
  if (!context.options.dryRun) await context.keys.write(did, { ...keys, sheets }, passphrase)
  return {
    data: { did, sheet: at + 1, confirmedAt: record.confirmedAt },
    text: `These are the words of sheet ${at + 1}.`,
  }
}

/** Returns the records to store: the sheets that the identity commits to, including the one that was just confirmed. */
export async function confirmedSheets(
  known: readonly SheetRecord[],
  confirmed: SheetRecord,
  root: Pick<ReadinessOf, 'epoch' | 'commitment'>,
): Promise<readonly SheetRecord[]> {
  const { recoveryReadiness } = await import('#client/recovery-words')
  const { sheets } = recoveryReadiness({ ...root, sheets: known, recovery: null })
  const named = known.filter((_, at) => sheets[at]?.isNamed)
  const at = named.findIndex(({ kemPublicKeyB64u }) => kemPublicKeyB64u === confirmed.kemPublicKeyB64u)
  return at < 0 ? [...named, confirmed] : named.with(at, confirmed)
}
