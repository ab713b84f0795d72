import { Identity } from '@svc/client'
import { commitmentOf, recordOfSheet, SuccessorSheet } from '@svc/client/recovery-words'
import { afterEach, describe, expect, it } from 'vitest'
import { forgetSheets, keepSheets } from '../sheets/kept-sheets.ts'
import { fileByWords, findByWords } from './by-words.ts'

afterEach(forgetSheets)

const REALM = 'https://core.example'
const root = await Identity.create()
const { did, scope } = root
const [sheet, other] = [SuccessorSheet.create(), SuccessorSheet.create()]
const text = sheet.revealWords()

/** Reads the root key, which commits to both sheets. */
async function reader(replaceable = true) {
  const commitment = await commitmentOf([sheet, other], { scope, epoch: 1 }, { replaceable })
  const read = async () => ({ scope, epoch: root.epoch, commitment })
  return { realm: REALM, chain: { root: read, readGenesis: read } as never }
}

describe('words without a recovery file', () => {
  it('keep the other sheet, if this browser knows it', async () => {
    const { kept: recovery } = await root.prepareRecovery({ realm: REALM, sheets: [sheet, other] })
    await keepSheets({ did, sheets: [await recordOfSheet(other, { scope, epoch: 1 })], recovery })
    const { known } = await findByWords(await reader(), did, { text })
    expect([known.records.length, known.missing]).toEqual([2, 0])
  })

  it('say that a sheet is missing, and keep it with its words', async () => {
    expect((await findByWords(await reader(), did, { text })).known.missing).toBe(1)
    const found = await findByWords(await reader(), did, { text, others: [other] })
    const { requests } = await fileByWords(await reader(), found, found.known.records)
    const { next, replaceable } = await commitmentOf([sheet, other], { scope, epoch: 2 })
    const { publicKeyB64u: newPublicKeyB64u } = await sheet.successor({ scope, epoch: 1 })
    expect(requests[0]?.statement).toMatchObject({ did, epoch: 1, newPublicKeyB64u, next, replaceable })
  })

  it('still forbid what the owner has forbidden', async () => {
    const found = await findByWords(await reader(false), did, { text })
    const { requests } = await fileByWords(await reader(), found, found.known.records)
    expect(requests[0]?.statement.replaceable).toBe(false)
  })

  it('are refused if the identity does not commit to them', async () => {
    const wrong = { text: SuccessorSheet.create().revealWords() }
    await expect(findByWords(await reader(), did, wrong)).rejects.toThrow('do not belong to this identity')
  })
})
