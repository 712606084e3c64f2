package emu_test
import ("testing";"os";"ampdbg/diag";"ampdbg/emu")
func TestTmpDump(t *testing.T){
 for _,p:=range scripts(t){ if verdict(p)!="diverge"&&verdict(p)!="spin"{continue}
  o,e,err:=outcome(p,emu.Options{Steps:1<<28})
  t.Log(p,o,err)
  diag.WriteText(os.Stdout,[]*diag.Report{{Name:p,Findings:e.Findings()}},diag.TextOptions{})
 }
}
