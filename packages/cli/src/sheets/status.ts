import type { RecoveryMeaning } from '#client/recovery-words'
import type { Context } from '../context.ts'
import type { Result } from '../result.ts'
import { rootNow } from './root-now.ts'

const SENTENCES: Readonly<Record<RecoveryMeaning, string>> = {
  words_and_file: 'With words and file you are back in a day.',
  words: 'With words alone you are back in 30 days, and only while nobody else has the root key.',
  root_and_device: 'No words were confirmed: you are back in 30 days, with root key and device.',
  never: 'No words were confirmed: if the root key is lost, so is the identity.',
}
const UNCOMMITTED = 'The identity has no sheets: a thief of the root key can name the next one.'

/** What the owner of the identity could do today if keys were lost or stolen. */
export async function status(context: Context): Promise<Result> {
  const did = await context.did()
  const keys = await context.ownKeys()
  const { sheets: records, recovery } = keys
  const { epoch, commitment } = await rootNow(context, did, keys)
  const { recoveryReadiness } = await import('#client/recovery-words')
  const { sheets, hasFile, meaning } = recoveryReadiness({ epoch, commitment, sheets: records, recovery })
  const lines = sheets.map(({ confirmedAt, isNamed }, at) => `sheet ${at + 1}   ${stateOf(confirmedAt, isNamed)}`)
  const next = nextOf({ isCommitted: commitment.next.length > 0, isConfirmed: sheets.every(hasWords), hasFile })
  return {
    data: { did, epoch, sheets, hasFile, meaning },
    text: [
      `identity  ${did}`,
      `root key  epoch ${epoch}`,
      ...lines,
      ...(records.length === 0 ? [] : [`file      ${hasFile ? 'of this root key' : 'none of this root key'}`]),
      meaning === null ? UNCOMMITTED : SENTENCES[meaning],
      ...next,
    ],
  }
}

function stateOf(confirmedAt: number | null, isNamed: boolean): string {
  if (!isNamed) return 'not one that may follow'
  return confirmedAt === null ? 'never confirmed' : `confirmed on ${new Date(confirmedAt).toISOString()}`
}

function hasWords({ confirmedAt }: { readonly confirmedAt: number | null }): boolean {
  return confirmedAt !== null
}

function nextOf(state: { readonly isCommitted: boolean; readonly isConfirmed: boolean; readonly hasFile: boolean }) {
  if (!state.isCommitted) return []
  if (!state.isConfirmed) return ['Next: svc recovery confirm, with the words of each sheet']
  return state.hasFile ? [] : ['Next: svc recovery prepare']
}
