import type { RecoveryMeaning } from '#client/recovery-words'
import type { Context } from '../context.ts'
import type { Result } from '../result.ts'
import { rootNow } from './root-now.ts'

const SENTENCES: Readonly<Record<RecoveryMeaning, string>> = {
  words_and_file: 'The words and the recovery file can recover the identity in a day.',
  words: 'The words alone can recover the identity in 30 days, but only while nobody else has the root key.',
  root_and_device: 'No words were confirmed: the root key and a device can replace the sheets in 30 days.',
  never: 'No words were confirmed: if the root key is lost, the identity is lost.',
}
const UNCOMMITTED = 'The identity has no sheets: a thief of the root key can name the next one.'

/** Tells how the owner could recover the identity today if keys were lost or stolen. */
export async function status(context: Context): Promise<Result> {
  const did = await context.did()
  const keys = await context.ownKeys()
  const { sheets: records, recovery } = keys
  const { epoch, commitment } = await rootNow(context, did, keys)
  const { recoveryReadiness } = await import('#client/recovery-words')
  const { sheets, hasFile, meaning } = recoveryReadiness({ epoch, commitment, sheets: records, recovery })
  const lines = sheets.map(({ confirmedAt, isNamed }, at) => `sheet ${at + 1}   ${stateOf(confirmedAt, isNamed)}`)
  const named = sheets.filter(({ isNamed }) => isNamed)
  const next = nextOf({
    isCommitted: commitment.next.length > 0,
    isConfirmed: named.length >= commitment.next.length && named.every(hasWords),
    hasFile,
    isReplaceable: meaning === 'root_and_device',
  })
  return {
    data: { did, epoch, sheets, hasFile, meaning },
    text: [
      `identity  ${did}`,
      `root key  epoch ${epoch}`,
      ...lines,
      ...(records.length === 0 ? [] : [`file      ${hasFile ? 'for this root key' : 'none for this root key'}`]),
      meaning === null ? UNCOMMITTED : SENTENCES[meaning],
      ...next,
    ],
  }
}

function stateOf(confirmedAt: number | null, isNamed: boolean): string {
  if (!isNamed) return 'not in the commitment of the identity'
  return confirmedAt === null ? 'never confirmed' : `confirmed on ${new Date(confirmedAt).toISOString()}`
}

function hasWords({ confirmedAt }: { readonly confirmedAt: number | null }): boolean {
  return confirmedAt !== null
}

interface State {
  readonly isCommitted: boolean
  readonly isConfirmed: boolean
  readonly hasFile: boolean
  /** Whether only the root key and a device can replace the sheets. */
  readonly isReplaceable: boolean
}

function nextOf({ isCommitted, isConfirmed, hasFile, isReplaceable }: State): string[] {
  if (!isCommitted) return []
  if (isConfirmed) return hasFile ? [] : ['Next: svc recovery prepare']
  const confirm = 'Next: svc recovery confirm, with the words of each sheet'
  return isReplaceable ? [confirm, 'If all words are lost: svc rotate start --lost-sheets'] : [confirm]
}
