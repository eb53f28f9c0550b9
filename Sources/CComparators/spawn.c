// Running a program as a shell does, without what a library's process object adds.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "internal.h"

extern char **environ;

int cmp_spawn(const char *path, const char *argument, double *seconds) {
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  char *const arguments[] = {(char *)path, (char *)argument, NULL};
  pid_t process = 0;
  int status = 0;
  double start = cmp_start();
  if (code == 0) code = posix_spawn(&process, path, &actions, NULL, arguments, environ);
  if (code == 0 && waitpid(process, &status, 0) != process) code = -1;
  *seconds = cmp_stop(start);
  posix_spawn_file_actions_destroy(&actions);
  if (code == 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) code = -1;
  return code;
}
