import { useState } from 'preact/hooks'
import { Part } from '../shell/part.tsx'
import { words } from '../words/consent/words.ts'
import { type Declaration, readDeclaration } from './declaration.ts'
import { Editing, type EditingProps } from './editing.tsx'
import { History } from './history.tsx'
import { Publishing } from './publishing.tsx'

interface ContentProps extends Omit<EditingProps, 'declaration'> {
  readonly change: number
}

/** One content: what is declared, the form that changes it, what to send with it, and how it came to be. */
export function Content({ change, ...props }: ContentProps) {
  const { client, identifier } = props
  const [read, setRead] = useState<{ readonly of: string; readonly declaration: Declaration } | null>(null)
  const readAnew = async () => {
    const declaration = await readDeclaration(client, identifier)
    setRead({ of: identifier, declaration })
    return declaration
  }
  const { answer, history } = (read?.of === identifier ? read.declaration : null) ?? { answer: null, history: null }
  return (
    <>
      <Part title={words.declared} of={`${change} ${identifier}`} read={readAnew}>
        {(declaration) => <Editing {...props} declaration={declaration} />}
      </Part>
      {answer?.found && answer.creator_did === props.did ? <Publishing key={identifier} declared={answer} /> : null}
      {answer ? <History history={history} /> : null}
    </>
  )
}
