import './operator.css'
import { Operator } from '@svc/client/operator'
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from '../page.ts'
import { Button } from '../shell/button.tsx'
import { TaskArea, useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/operator/words.ts'
import { Codes } from './codes.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { Disputes } from './disputes.tsx'
import { Health } from './health.tsx'
import { Invites } from './invites.tsx'
import { KeyForm } from './key-form.tsx'
import { NO_KEY } from './no-key.ts'
import { Objectives } from './objectives.tsx'
import { Takedowns } from './takedowns.tsx'

/** What the operator of the deployment does. The key is in this component and nowhere else: leaving the page drops it. */
export function OperatorPage({ configuration }: PageProps) {
  return (
    <TaskArea>
      <Parts core={configuration.services.core} />
    </TaskArea>
  )
}

function Parts({ core }: { readonly core: string }) {
  const task = useTask()
  const [operator, setOperator] = useState<Operator | null>(null)
  const [visitor, setVisitor] = useState<Operator | null>(null)
  useEffect(() => void task.run(async () => setVisitor(await Operator.connect({ core, key: NO_KEY }))), [])
  return (
    <div class="operator">
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      {operator === null ? (
        <KeyForm
          onKey={async (key) => {
            setOperator(await Operator.connect({ core, key }))
            task.say(words.opened)
          }}
        />
      ) : (
        <>
          <Button look="plain" onPress={async () => setOperator(null)}>
            {words.close}
          </Button>
          <Invites operator={operator} />
          <Codes operator={operator} />
          <Takedowns operator={operator} />
          <Disputes operator={operator} />
          <DeadLetters operator={operator} />
        </>
      )}
      {visitor === null ? null : <Health operator={visitor} />}
      <Objectives />
    </div>
  )
}
