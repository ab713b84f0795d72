import { capabilityOf, listedRoutes } from '@svc/assertion'
import { guardianStatusSchema } from '@svc/protocol/guardians'
import { directoryPageSchema, publishedSchema } from '@svc/protocol/key-directory'
import { packageFault } from '@svc/protocol/key-packages'
import { checkpointAnswerSchema, entriesAnswerSchema } from '@svc/protocol/transparency'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { pagesText, value, vector } from './examples.ts'
import { DIRECTORY } from './key-directory-digests.ts'

const data = <S extends z.ZodType>(name: string, schema: S): z.output<S> =>
  schema.parse((value(name) as { data: unknown }).data)

describe('the page of the key directory', () => {
  const { body } = DIRECTORY

  it('derives hash, leaf and roots of what it publishes', () => {
    expect(body.credential.statement.keyPackageHash).toBe(DIRECTORY.keyPackageHash)
    expect(data('published-package', publishedSchema).package.leafId).toBe(DIRECTORY.leafId)
    expect(body.prekeys[0]?.batch.statement.root).toBe(DIRECTORY.prekeyRoot)
    expect(data('log-entries', entriesAnswerSchema).entries).toEqual([DIRECTORY.leaf])
    expect(data('directory-checkpoint', checkpointAnswerSchema).checkpoint.statement).toMatchObject({
      size: 1,
      root: DIRECTORY.logRoot,
    })
    expect(data('directory-page', directoryPageSchema).devices[0]?.revocation?.leafId).toBe(DIRECTORY.revocationId)
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
    }
    expect(await packageFault(body, expected)).toBe('invalid_signature')
    expect(await packageFault(body, { ...expected, rootEpoch: 1 })).toBe('stale_epoch')
  })

  it('stands beside the capability of every route of the service', () => {
    const rows = [...pagesText.matchAll(/^\| keys \| `([A-Z]+) (\/[^`]+)` \| `([a-z:]+)` \|$/gm)]
    const shown = rows.map(([, method, path, capability]) => `${method} ${path} ${capability}`)
    const law = listedRoutes('keys').map((route) => {
      const [method = '', path = ''] = route.split(' ')
      return `${route} ${capabilityOf('keys', method, path)}`
    })
    expect(shown.toSorted()).toEqual(law.toSorted())
  })
})
