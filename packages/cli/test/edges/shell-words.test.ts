import { execFileSync } from 'node:child_process'
import { shellWordOf } from '@svc/client/text'
import { expect, it } from 'vitest'

it.each(['it\'s $(id) `id` "x" \\ *.pdf', 'a\nb', '~', '!!', '#x', 'my report.pdf'])(
  'a shell reads the word that was meant: %j',
  (word) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWordOf(word)}`]).toString()).toBe(word)
  },
)
