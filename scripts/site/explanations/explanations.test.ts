import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CONTENTS } from '../contents.ts'
import { ROOT } from '../root.ts'
import { SERVICES } from '../sources.ts'
import { EXPLANATIONS, explainedLine, WITHOUT_API } from './explanations.ts'

const tagsOf = (service: string) => {
  const document = JSON.parse(readFileSync(join(ROOT, `workers/${service}/openapi.json`), 'utf8')) as {
    readonly tags: readonly { readonly name: string }[]
  }
  return document.tags.map(({ name }) => name).toSorted()
}
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

it('a reference names the pages once, and leaves out what does not exist', () => {
  const titles = new Map([
    ['consent', 'Consent'],
    ['discovery', 'Discovery'],
    ['concept-consent', 'Consent and AI'],
  ])
  const concepts = ' Concepts: [Consent and AI](/developer/concept-consent).'
  const line = explainedLine('consent', ['service', 'consent', 'partner', 'operator'], titles)
  expect(line).toBe(`Explained on [Consent](/developer/consent) and [Discovery](/developer/discovery).${concepts}`)
  expect(explainedLine('consent', ['partner'], new Map())).toBe('')
})
