import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CONTENTS } from '../contents.ts'
import { ROOT } from '../root.ts'
import { SERVICES } from '../sources.ts'
import { KNOWN } from './credentials.ts'
import { EXPLANATIONS, explainedLine, GUIDES, WITHOUT_API } from './explanations.ts'

interface Document {
  readonly tags: readonly { readonly name: string }[]
  readonly components: { readonly securitySchemes?: object }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>
}

interface Documented {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly description: string
  readonly security: readonly object[]
}

const documentOf = (service: string) =>
  JSON.parse(readFileSync(join(ROOT, `workers/${service}/openapi.json`), 'utf8')) as Document
const tagsOf = (service: string) =>
  documentOf(service)
    .tags.map(({ name }) => name)
    .toSorted()
const explanations = Object.values(EXPLANATIONS).flatMap((tags) => Object.values(tags))
const slugs = new Set(CONTENTS.flatMap((group) => group.slugs))

it('every group of operations of every service is explained somewhere', () => {
  const explained = Object.entries(EXPLANATIONS).map(([service, tags]) => [service, Object.keys(tags).toSorted()])
  expect(Object.fromEntries(explained)).toEqual(
    Object.fromEntries(SERVICES.map((service) => [service, tagsOf(service)])),
  )
})

it('by pages that the contents have', () => {
  expect(explanations.flatMap(({ pages }) => pages).filter((slug) => !slugs.has(slug))).toEqual([])
})

it('by concepts that the contents have, each of them once at least', () => {
  const concepts = [...slugs].filter((slug) => slug.startsWith('concept-'))
  const named = new Set(explanations.flatMap((one) => one.concepts))
  expect(concepts.length).toBeGreaterThan(10)
  expect([...named].toSorted()).toEqual(concepts.toSorted())
})

it('every page of the protocol explains a group, or says why it has none', () => {
  const protocol = CONTENTS.filter(({ title }) => title.startsWith('Protocol: ')).flatMap((group) => group.slugs)
  const explaining = new Set(explanations.flatMap(({ pages }) => pages))
  expect(protocol.length).toBeGreaterThan(25)
  expect(protocol.filter((slug) => !explaining.has(slug)).toSorted()).toEqual(Object.keys(WITHOUT_API).toSorted())
})

it('every guide is named beside the operations that it uses', () => {
  const guides = CONTENTS.filter(({ title }) => title === 'Guides').flatMap((group) => group.slugs)
  expect(Object.keys(GUIDES).toSorted()).toEqual(guides.toSorted())
  const groups = Object.entries(EXPLANATIONS).flatMap(([service, tags]) =>
    Object.keys(tags).map((tag) => `${service} ${tag}`),
  )
  for (const used of Object.values(GUIDES).flat()) expect(groups).toContain(used)
})

it('every kind of credential is explained, also where the body has it', () => {
  const documents = SERVICES.map(documentOf)
  const schemes = documents.flatMap(({ components }) => Object.keys(components.securitySchemes ?? {}))
  expect(KNOWN.schemes.toSorted()).toEqual([...new Set(schemes)].toSorted())
  const open = documents
    .flatMap(({ paths }) => Object.values(paths).flatMap((methods) => Object.values(methods)))
    .filter(({ security, tags }) => security.length === 0 && !tags.includes('operator'))
  const ids = open.map(({ operationId }) => operationId)
  expect(KNOWN.operations.filter((id) => !ids.includes(id))).toEqual([])
  const named = open.filter(({ description }) => /credentials? (?:is|are)\b|is the credential/.test(description))
  expect(named.length).toBeGreaterThan(5)
  expect(named.map((one) => one.operationId).filter((id) => !KNOWN.operations.includes(id))).toEqual([])
})

it('a reference names the pages once, and leaves out what does not exist', () => {
  const titles = new Map([
    ['consent', 'Consent'],
    ['discovery', 'Discovery'],
    ['concept-consent', 'Consent and AI'],
    ['declare-ai-use', 'Declare AI use'],
  ])
  const concepts =
    ' Concepts: [Consent and AI](/developer/concept-consent). Guides: [Declare AI use](/developer/declare-ai-use).'
  const line = explainedLine('consent', ['service', 'consent', 'partner', 'operator'], titles)
  expect(line).toBe(`Explained on [Consent](/developer/consent) and [Discovery](/developer/discovery).${concepts}`)
  expect(explainedLine('consent', ['partner'], new Map())).toBe('')
})
