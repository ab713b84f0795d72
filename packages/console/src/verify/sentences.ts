import type { Check, Verdict } from '@svc/client/evidence'
import { chunk } from '../failures/chunk.ts'
import { momentOf } from '../shell/dates.ts'
import { words } from '../words/verdict/words.ts'

/** A sentence for each check of a verdict. Those of rarer kinds of evidence are loaded with the first that needs them. */
export async function sentencesOf({ checks }: Verdict): Promise<readonly string[]> {
  const said = checks.map((check) => saidBy(words, check))
  if (!said.includes(undefined)) return said as string[]
  const { words: rarer } = await chunk(() => import('../words/evidence/words.ts'))
  return checks.map((check, at) => said[at] ?? saidBy(rarer, check) ?? check.check)
}

function saidBy({ said }: Pick<typeof words, 'said'>, { check, result, found }: Check): string | undefined {
  const { at } = found
  return said(check, result === 'ok', found, at === undefined ? '' : momentOf(Number(at)))
}
