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
  const known = keys.sheets.findIndex(({ kemPublicKeyB64u }) => kemPublicKeyB64u === record.kemPublicKeyB64u)
  const at = known < 0 ? keys.sheets.length : known
  const sheets = [...keys.sheets.slice(0, at), record, ...keys.sheets.slice(at + 1)]
  if (!context.options.dryRun) await context.keys.write(did, { ...keys, sheets }, passphrase)
  return {
    data: { did, sheet: at + 1, confirmedAt: record.confirmedAt },
    text: `These are the words of sheet ${at + 1}.`,
  }
}
