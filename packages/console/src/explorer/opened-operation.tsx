import { useEffect, useState } from 'preact/hooks'
import { sentenceOf } from '../failures/sentences.ts'
import type { PageProps } from '../page.ts'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/explorer/words.ts'
import { words as shellWords } from '../words/shell/words.ts'
import { OperationForm } from './operation-form.tsx'
import { type Operation, operationsOf } from './operations.ts'

interface OpenedProps {
  readonly service: string
  readonly id: string
  readonly services: PageProps['configuration']['services']
  readonly onBack: () => void
}

/** An operation, once the document of its service is read. */
export function OpenedOperation({ service, id, services, onBack }: OpenedProps) {
  const task = useTask()
  const origin = services[service] ?? ''
  const [operations, setOperations] = useState<readonly Operation[] | null>(null)
  useEffect(() => {
    let isWanted = true
    // Not as a task: another one can be opened before this one is read.
    read(service, origin).then(
      (found) => {
        if (!isWanted) return
        setOperations(found)
        if (!found.some((one) => one.id === id)) task.say(words.noOperation(id), true)
      },
      (error: unknown) => {
        if (!isWanted) return
        setOperations([])
        task.say(sentenceOf(error), true)
      },
    )
    return () => {
      isWanted = false
      task.say('')
    }
  }, [])
  const operation = operations?.find((one) => one.id === id)
  if (!operations || !operation)
    return (
      <>
        <button type="button" class="quiet" onClick={onBack}>
          {words.back}
        </button>
        {operations === null ? <p>{shellWords.loading}</p> : null}
      </>
    )
  return (
    <OperationForm operation={operation} operations={operations} origin={origin} services={services} onBack={onBack} />
  )
}

/** Services that show their document to pages of their own origin only: it comes with the console. */
const OWN_COPIES = ['docs', 'pay']

const documents = new Map<string, Promise<readonly Operation[]>>()

function read(service: string, origin: string): Promise<readonly Operation[]> {
  const known = documents.get(service)
  if (known) return known
  const reading = fetchOperations(service, origin)
  documents.set(service, reading)
  reading.catch(() => documents.delete(service))
  return reading
}

async function fetchOperations(service: string, origin: string): Promise<readonly Operation[]> {
  const hasCopy = OWN_COPIES.includes(service)
  const response = await fetch(hasCopy ? `/${service}-openapi.json` : `${origin}/openapi.json`)
  return operationsOf(await response.json())
}
