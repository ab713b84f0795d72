import './explorer.css'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { chunk } from '../failures/chunk.ts'
import { sentenceOf } from '../failures/sentences.ts'
import type { PageProps } from '../page.ts'
import { Field } from '../shell/field.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { TaskArea, useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/explorer/words.ts'
import type { Listed } from './listed.ts'

/** Sends any request of the deployment. `#core.appendBlock` names a service and an operation. */
export function ExplorerPage({ configuration }: PageProps) {
  return (
    <TaskArea>
      <Explorer services={configuration.services} />
    </TaskArea>
  )
}

function Explorer({ services }: { readonly services: PageProps['configuration']['services'] }) {
  const task = useTask()
  const [[service, chosen], setPlace] = useState(placeOf(location.hash, services))
  const [listed, setListed] = useState<Readonly<Record<string, readonly Listed[]>>>({})
  const [query, setQuery] = useState('')
  const show = (at: string, operation: string | null) => {
    history.replaceState(null, '', operation === null ? `#${at}` : `#${at}.${operation}`)
    setPlace([at, operation])
  }
  useEffect(() => {
    const changed = () => setPlace(placeOf(location.hash, services))
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  useEffect(() => {
    readList().then(setListed, (error: unknown) => task.say(sentenceOf(error), true))
  }, [])
  const operations = listed[service] ?? []
  const found = useMemo(() => matching(operations, query), [operations, query])
  if (chosen !== null)
    return (
      <Loaded
        key={`${service}.${chosen}`}
        load={opened}
        props={{ service, id: chosen, services, onBack: () => show(service, null) }}
      />
    )
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      <section class="panel">
        <div class="field">
          <label for="service">{words.service}</label>
          <select id="service" value={service} onChange={(event) => show(event.currentTarget.value, null)}>
            {Object.keys(services).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <Field label={words.search} value={query} onValue={setQuery} />
        <p role="status">{found.length === 0 && operations.length > 0 ? words.none : words.operations(found.length)}</p>
        <ul class="operations">
          {found.map((one) => (
            <li key={one.id}>
              <a
                href={`#${service}.${one.id}`}
                onClick={(event) => {
                  event.preventDefault()
                  show(service, one.id)
                }}
              >
                <span class="method">{one.method}</span> <Exact>{one.path}</Exact>
              </a>
              <small>{one.summary}</small>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

function placeOf(
  hash: string,
  services: Readonly<Record<string, string>>,
): [service: string, operation: string | null] {
  const [service = '', operation = null] = hash.slice(1).split('.')
  return Object.hasOwn(services, service) ? [service, operation] : ['core', null]
}

/** It signs, and has most of the SDK. */
const opened = () => chunk(() => import('./opened-operation.tsx').then(({ OpenedOperation }) => OpenedOperation))

async function readList(): Promise<Readonly<Record<string, readonly Listed[]>>> {
  const response = await fetch('/operations.json')
  return (await response.json()) as Readonly<Record<string, readonly Listed[]>>
}

/** Every word, anywhere in what a person reads of it. */
function matching(operations: readonly Listed[], query: string): readonly Listed[] {
  const asked = query.toLowerCase().split(/\s+/)
  return operations.filter(({ id, method, path, tag, summary }) => {
    const text = `${id} ${method} ${path} ${tag} ${summary}`.toLowerCase()
    return asked.every((word) => text.includes(word))
  })
}
