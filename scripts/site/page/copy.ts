/** How long the button says that the text was copied. */
const SAID_MS = 2_000

/** Gives each block of code a button that copies it; output is not for copying. */
export function addCopyButtons(within: ParentNode): void {
  for (const figure of within.querySelectorAll('figure.code:not(.output)')) {
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
    button.addEventListener('click', () => {
      const done = () => say('Copied', 'The code was copied')
      const failed = () => say('Select it by hand', 'The browser does not let this page copy')
      void navigator.clipboard.writeText(code.textContent).then(done, failed)
      setTimeout(() => say('Copy'), SAID_MS)
    })
    figure.append(button, said)
  }
}
