import { expect, it } from 'vitest'
import { withRecorded } from './recorded-blocks.ts'

const examplesOf = () => ({ ask: { request: { question: '?' }, '200': { answer: 'yes' } } })
const block = (body: string, text: string) => `\`\`\`json recorded=core/ask/${body}\n${text}\n\`\`\`\n`

it('writes what was recorded into its block, and leaves the rest of the page', () => {
  const page = `# Ask\n\n${block('request', '{}')}\n${block('200', '{\n  "answer": "no"\n}')}\n\`\`\`json example=x\n{}\n\`\`\`\n`
  const written = withRecorded(page, examplesOf)
  expect(written).toBe(page.replace('{}', '{\n  "question": "?"\n}').replace('"answer": "no"', '"answer": "yes"'))
  expect(withRecorded(written, examplesOf)).toBe(written)
})

it('fails for what was not recorded', () => {
  expect(() => withRecorded(block('404', '{}'), examplesOf)).toThrow('core has no recorded example ask/404')
})
