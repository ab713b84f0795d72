import { Identity } from '@svc/client'
import { commitmentOf, recordOfSheet, SuccessorSheet } from '@svc/client/recovery-words'
import { expect, it } from 'vitest'
import { namedSheets, withTypedSheet } from '../src/sheets/named-sheets.ts'

const { scope } = await Identity.create()
const key = { scope, epoch: 1 }
const [first, second, replaced] = [SuccessorSheet.create(), SuccessorSheet.create(), SuccessorSheet.create()]
const root = { epoch: 0, commitment: await commitmentOf([first, second], key) }

it('a sheet that was confirmed keeps its place, and one that was replaced is recorded no more', async () => {
  const records = await Promise.all([first, replaced, second].map((sheet) => recordOfSheet(sheet, key)))
  const confirmed = await recordOfSheet(second, key, { confirmedAt: 1 })
  const [one] = records
  expect(await withTypedSheet(records, confirmed, root)).toMatchObject({ records: [one, confirmed], missing: 0 })
  expect(await withTypedSheet(records.slice(0, 2), confirmed, root)).toMatchObject({
    records: [one, confirmed],
    missing: 0,
  })
  expect(await withTypedSheet([], confirmed, root)).toMatchObject({ records: [confirmed], missing: 1 })
})

it('a sheet to which the root key does not commit is refused', async () => {
  const foreign = await recordOfSheet(replaced, key)
  await expect(withTypedSheet([], foreign, root)).rejects.toThrow('not committed to the key of this sheet')
})

it('of two records of a sheet, the one with later keys or a later confirmation is kept', async () => {
  const later = { scope, epoch: 2 }
  const next = { epoch: 1, commitment: await commitmentOf([first], later) }
  const old = await recordOfSheet(first, key, { confirmedAt: 2 })
  const renewed = await recordOfSheet(first, later)
  const confirmed = { ...renewed, confirmedAt: 1 }
  for (const known of [
    [old, renewed, confirmed],
    [confirmed, renewed, old],
  ])
    expect(await namedSheets(known, next)).toMatchObject({ records: [confirmed], missing: 0 })
})

it('a sheet is missing if its record lacks a key that the next rotation needs', async () => {
  const [one, two] = [await recordOfSheet(first, key), await recordOfSheet(second, key)]
  const usedUp = { ...two, publicKeysB64u: two.publicKeysB64u.slice(0, 1) }
  expect(await namedSheets([one, usedUp], root)).toMatchObject({ records: [one, usedUp], missing: 1 })
})
