import './explorer.css'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PageProps } from '../page.ts'
import { Field } from '../shell/field.tsx'
import { sentenceOf } from '../shell/sentences.ts'
import { TaskArea, useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/explorer/words.ts'
import { OperationForm } from './operation-form.tsx'
import { type Operation, operationsOf } from './operations.ts'

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
  const [operations, setOperations] = useState<readonly Operation[]>([])
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
    setOperations([])
    let isWanted = true
    // Not as a task: another service can be chosen before this one has answered.
    read(service, services[service] ?? '').then(
      (found) => isWanted && setOperations(found),
      (error: unknown) => isWanted && task.say(sentenceOf(error), true),
    )
    return () => {
      isWanted = false
    }
  }, [service])
  const found = useMemo(() => matching(operations, query), [operations, query])
  const operation = operations.find(({ id }) => id === chosen)
  if (operation)
    return (
      <OperationForm
        key={`${service}.${operation.id}`}
        operation={operation}
        operations={operations}
        origin={services[service] ?? ''}
        services={services}
        onBack={() => show(service, null)}
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
                <span class="method">{one.method}</span> <code>{one.path}</code>
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

/** Services that show their document to pages of their own origin only: it comes with the console. */
const OWN_COPIES = ['docs', 'pay']

async function read(service: string, origin: string): Promise<readonly Operation[]> {
  const hasCopy = OWN_COPIES.includes(service)
  const response = await fetch(hasCopy ? `/${service}-openapi.json` : `${origin}/openapi.json`)
  return operationsOf(await response.json())
}

/** Every word, anywhere in what a person reads of it. */
function matching(operations: readonly Operation[], query: string): readonly Operation[] {
  const asked = query.toLowerCase().split(/\s+/)
  return operations.filter(({ id, method, path, tag, summary }) => {
    const text = `${id} ${method} ${path} ${tag} ${summary}`.toLowerCase()
    return asked.every((word) => text.includes(word))
  })
}
