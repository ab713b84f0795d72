import { readApi } from '@svc/platform/documented-api'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { discoveryDocumentSchema } from '@svc/protocol/http/discovery-document'
import { expect, it } from 'vitest'

it('discovery names every limit of a body that is above the default', async () => {
  const answer = await fetch(`${sharedPlatform().urls.core}/.well-known/svc`)
  const { bodyBytes } = discoveryDocumentSchema.parse(await answer.json()).limits
  const documented = readApi().operations.flatMap(({ documented: operation }) => operation['x-max-body-bytes'] ?? [])
  const larger = [...new Set(documented)].filter((bytes) => bytes > (bodyBytes['default'] ?? 0))
  expect(larger).not.toEqual([])
  expect(larger.filter((bytes) => !Object.values(bodyBytes).includes(bytes))).toEqual([])
})
