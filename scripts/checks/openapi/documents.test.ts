import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, WORKER_NAMES } from '@svc/platform/workspace'
import { expect, it } from 'vitest'

interface DocumentedOperation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: readonly string[]
}

interface Document {
  readonly info: { readonly license?: object; readonly contact?: object }
  readonly servers?: readonly object[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Record<string, Record<string, DocumentedOperation>>
  readonly components: { readonly securitySchemes?: Record<string, object> }
}

const documentOf = (name: string): Document =>
  JSON.parse(readFileSync(join(ROOT, 'workers', name, 'openapi.json'), 'utf8'))

it.each(WORKER_NAMES)('%s says what generated clients and references need', (name) => {
  const { info, servers, tags, paths, components } = documentOf(name)
  expect(info).toMatchObject({ license: { name: 'Apache-2.0' }, contact: { name: expect.any(String) } })
  expect(servers).toMatchObject([{ url: '/' }])
  const used = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap((operation) => operation.tags))
  expect(tags.map((tag) => tag.name)).toEqual([...new Set(used)])
  for (const { description } of tags) expect(description).not.toBe('')
  const schemes = Object.entries(components.securitySchemes ?? {})
  for (const [id, scheme] of schemes) {
    const expected =
      id === 'ServiceAssertion'
        ? { type: 'http', scheme: 'bearer', bearerFormat: 'ServiceAssertion' }
        : { type: 'apiKey', in: 'header' }
    expect(scheme).toMatchObject(expected)
  }
})

it.each(WORKER_NAMES)('%s says of each operation what it does, and what a caller needs to know besides', (name) => {
  for (const { operationId, summary, description } of Object.values(documentOf(name).paths).flatMap(Object.values)) {
    expect(summary, operationId).toMatch(/\S/)
    expect(description, operationId).toMatch(/\S/)
    expect(description, operationId).not.toBe(summary)
  }
})
