import { expect, it } from 'vitest'
import { hashSchema } from '../base/hash.ts'
import { didSchema } from '../base/identity.ts'
import { contentHashSchema } from '../consent/identifiers.ts'
import { assetIdSchema } from '../ledger/assets.ts'
import { attachmentParamsSchema, blobParamsSchema, newAttachmentParamsSchema } from '../notes/api.ts'
import { hasPublishedForm } from './path-forms.ts'

it.each([
  ['a DID', didSchema],
  ['a content identifier', contentHashSchema],
  ['the id of an asset', assetIdSchema],
  ['the hash of an attachment', blobParamsSchema.shape.cipherHash],
  ['the name of a new attachment', newAttachmentParamsSchema.shape.attId],
  ['one that is described anew', didSchema.meta({ description: 'The owner' })],
])('%s has a form that is published: another is a malformed request', (_, schema) => {
  expect(hasPublishedForm(schema)).toBe(true)
})

it.each([
  ['an attachment that is there', attachmentParamsSchema.shape.attId],
  ['a hash anywhere else', hashSchema],
])('the name of %s has none: one that names nothing is not found', (_, schema) => {
  expect(hasPublishedForm(schema)).toBe(false)
})
