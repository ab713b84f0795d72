import { useEffect, useState } from 'preact/hooks'

/** Takes files that are dropped anywhere on the page. True while some are above it. */
export function useDropped(onFiles: (files: FileList) => void): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const out = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const dropped = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      if (event.dataTransfer) onFiles(event.dataTransfer.files)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', out)
    addEventListener('drop', dropped)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', out)
      removeEventListener('drop', dropped)
    }
  }, [])
  return isOver
}
