import { Identity } from '@svc/client'
import { commitmentOf, recordOfSheet, SuccessorSheet } from '@svc/client/recovery-words'
import { expect, it } from 'vitest'
import { confirmedSheets } from '../src/sheets/confirm.ts'

const { scope } = await Identity.create()
const key = { scope, epoch: 1 }
const [first, second, replaced] = [SuccessorSheet.create(), SuccessorSheet.create(), SuccessorSheet.create()]
const root = { epoch: 0, commitment: await commitmentOf([first, second], key) }

it('a sheet that was confirmed keeps its place, and one that was replaced is recorded no more', async () => {
  const records = await Promise.all([first, replaced, second].map((sheet) => recordOfSheet(sheet, key)))
  const confirmed = await recordOfSheet(second, key, { confirmedAt: 1 })
  const [one] = records
  expect(await confirmedSheets(records, confirmed, root)).toEqual([one, confirmed])
  expect(await confirmedSheets(records.slice(0, 2), confirmed, root)).toEqual([one, confirmed])
  expect(await confirmedSheets([], confirmed, root)).toEqual([confirmed])
})
