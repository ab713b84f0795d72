import { encodeBase64url } from '@svc/protocol/base/base64url'
import { valueOnPath } from '@svc/protocol/keys/account-map'
import { directoryPageSchema, publishedSchema, reservedPrekeySchema } from '@svc/protocol/keys/directory'
import { guardianStatusSchema } from '@svc/protocol/keys/guardians'
import { packageFault } from '@svc/protocol/keys/packages'
import { contactTag } from '@svc/protocol/keys/reserving'
import {
  accountAnswerSchema,
  accountAuditSchema,
  checkpointAnswerSchema,
  entriesAnswerSchema,
} from '@svc/protocol/keys/transparency'
import { logListAnswerSchema } from '@svc/protocol/merkle/log-list'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { pagesText, REALMS, value, vector } from './examples.ts'
import { DIRECTORY } from './key-directory-digests.ts'

const data = <S extends z.ZodType>(name: string, schema: S): z.output<S> =>
  schema.parse((value(name) as { data: unknown }).data)

describe('the page of the key directory', () => {
  const { body } = DIRECTORY

  it('derives hash, leaf and roots of what it publishes', () => {
    expect(body.credential.statement.keyPackageHash).toBe(DIRECTORY.keyPackageHash)
    expect(data('published-package', publishedSchema).package.leafId).toBe(DIRECTORY.leafId)
    expect(body.prekeys[0]?.batch.statement.root).toBe(DIRECTORY.prekeyRoot)
    expect(data('log-entries', entriesAnswerSchema).entries).toEqual(DIRECTORY.lines)
    expect(data('directory-checkpoint', checkpointAnswerSchema).checkpoint.statement).toMatchObject({
      size: 2,
      root: DIRECTORY.logRoot,
    })
    const { updates, head } = data('directory-page', directoryPageSchema)
    expect([updates[1]?.revocation?.leafId, head]).toEqual([DIRECTORY.revocationId, DIRECTORY.heads[1]])
    const { map, checkpoint, ...account } = data('account-proof', accountAnswerSchema)
    expect([account.head, map.leaf, checkpoint.statement.root]).toEqual([
      DIRECTORY.heads[0],
      DIRECTORY.mapLeaf,
      DIRECTORY.mappedRoot,
    ])
    expect([account.label, account.labelProofB64u]).toEqual([DIRECTORY.label, DIRECTORY.labelProofB64u])
    expect(data('account-audit', accountAuditSchema)).toMatchObject({
      label: DIRECTORY.label,
      labelProofB64u: DIRECTORY.labelProofB64u,
    })
    expect(data('log-list', logListAnswerSchema).list.statement.labelKeyB64u).toBe(DIRECTORY.labelKeyB64u)
    expect(valueOnPath(account.label, account, DIRECTORY.mapRoot)).toEqual({
      seq: 1,
      head: DIRECTORY.heads[0],
      agreement: null,
    })
  })

  it('derives the tag of a contact, who reserves a prekey there', () => {
    const { accountDid, requesterDid } = data('reserved-prekey', reservedPrekeySchema).receipt.statement
    const passB64u = encodeBase64url(Uint8Array.from({ length: 32 }, (_, i) => i))
    expect(pagesText).toContain(`with the pass \`${passB64u}\``)
    expect(value('directory-settings')).toMatchObject({ contacts: [contactTag(accountDid, requesterDid, passB64u)] })
  })

  it('derives the id of a request to guardians', () => {
    expect(data('guardian-status', guardianStatusSchema).requestId).toBe(DIRECTORY.requestId)
  })

  it('shows a package that is right but for its signatures', async () => {
    const expected = {
      did: vector('did'),
      scope: vector('scope'),
      deviceId: body.credential.statement.deviceId,
      rootEpoch: 0,
      rootKeyB64u: vector('publicKeyB64u'),
      realms: REALMS,
    }
    expect(await packageFault(body, expected)).toBe('invalid_signature')
    expect(await packageFault(body, { ...expected, rootEpoch: 1 })).toBe('stale_epoch')
  })
})
