import { useState } from 'preact/hooks'
import { Copyable } from '../content/copyable.tsx'
import { Field } from '../shell/field.tsx'
import { words } from '../words/consent/words.ts'
import type { Declared } from './declaration.ts'
import { type Lines, linesOf, pathOf } from './lines.ts'

/** Files of a site are called the same in every language. */
const TITLES: Readonly<Record<keyof Lines, string>> = {
  headers: words.headers,
  meta: words.meta,
  robots: 'robots.txt',
  tdmrep: '/.well-known/tdmrep.json',
  cawg: words.cawg,
}
const KINDS = Object.keys(TITLES) as (keyof Lines)[]

/** What the owner of a site sends with the content. */
export function Publishing({ declared }: { readonly declared: Declared }) {
  const [path, setPath] = useState(pathOf(declared.content_hash))
  const lines = linesOf(declared, path.startsWith('/') ? path : `/${path}`)
  const given = KINDS.filter((kind) => lines[kind] !== '')
  return (
    <section class="panel">
      <h2>{words.publish}</h2>
      <p>{given.length === 0 ? words.nothingToPublish : words.publishLead}</p>
      {given.length === 0 ? null : <Field label={words.path} hint={words.pathHint} value={path} onValue={setPath} />}
      {given.map((kind) => (
        <Copyable key={kind} title={TITLES[kind]} text={lines[kind]} />
      ))}
    </section>
  )
}
