/** How long the button says that the text was copied. */
const SAID_MS = 2_000

/** Gives each block of code a button that copies it; output is not for copying, nor is the beginning of a long block. */
export function addCopyButtons(within: ParentNode): void {
  for (const figure of within.querySelectorAll('figure.code:not(.output, .shortened)')) {
    const code = figure.querySelector('code')
    if (!code) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    const said = document.createElement('span')
    said.setAttribute('role', 'status')
    const say = (label: string, status = '') => {
      button.textContent = label
      said.textContent = status
    }
    say('Copy')
    said.className = 'unseen'
    let timer: ReturnType<typeof setTimeout> | undefined
    const copy = async () => {
      clearTimeout(timer)
      try {
        // Not there on a page without TLS.
        await navigator.clipboard.writeText(code.textContent)
        say('Copied', 'The code was copied')
      } catch {
        say('Select it by hand', 'The browser does not let this page copy')
      }
      timer = setTimeout(() => say('Copy'), SAID_MS)
    }
    button.addEventListener('click', () => void copy())
    figure.append(button, said)
  }
}
